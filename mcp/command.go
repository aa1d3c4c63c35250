package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// command makes the command of a stdio server, and says what is wrong with it as far as that can be seen before it is
// run. The argument vector is taken as it is: no shell.
func command(server spec.Server) (*exec.Cmd, error) {
	if len(server.Command) == 0 || server.Command[0] == "" {
		return nil, hopeless{errors.New("no command")}
	}
	if err := checkFolder(server.Cwd); err != nil {
		return nil, hopeless{err}
	}
	env := serverEnvironment(server.Env)
	path, err := find(server.Command[0], server.Cwd, lookup(env, "PATH"))
	if err != nil {
		return nil, hopeless{err}
	}
	return &exec.Cmd{Path: path, Args: server.Command, Dir: server.Cwd, Env: env}, nil
}

func checkFolder(cwd string) error {
	if cwd == "" {
		return nil
	}
	info, err := os.Stat(cwd)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the working directory %s does not exist", cwd)
	case err != nil:
		return fmt.Errorf("the working directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("the working directory %s is not a directory", cwd)
	}
	return nil
}

// find finds a command the way a shell in cwd with that PATH would: a name with a separator is a path, others are looked
// for in PATH.
func find(name, cwd, path string) (string, error) {
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) {
			name = filepath.Join(cwd, name)
		}
		return name, executable(name)
	}
	var denied error
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) { // a relative entry would mean another folder in each cwd
			continue
		}
		for _, candidate := range candidates(filepath.Join(folder, name)) {
			err := executable(candidate)
			if err == nil {
				return candidate, nil
			}
			if denied == nil && !errors.Is(err, fs.ErrNotExist) {
				denied = err
			}
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("command %q was not found; looked in PATH=%s", name, path)
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("command %s was not found: %w", path, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("command: %w", err)
	case info.IsDir():
		return fmt.Errorf("command %s is a directory", path)
	case !mayExecute(path, info):
		return fmt.Errorf("command %s is not executable: %w", path, fs.ErrPermission)
	}
	return nil
}

// startError says in words why a command did not start, and marks what no new start will cure.
func startError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist): // the file is there: it was looked for
		return hopeless{fmt.Errorf("command %s: the interpreter named in its first line, or its loader, was not found: %w", path, err)}
	case errors.Is(err, fs.ErrPermission):
		return hopeless{fmt.Errorf("command %s is not executable: %w", path, err)}
	case errors.Is(err, syscall.ENOEXEC):
		return hopeless{fmt.Errorf("command %s is not a program; a script needs a first line such as #!/bin/sh: %w", path, err)}
	case strings.Contains(err.Error(), "argument list too long"):
		return hopeless{fmt.Errorf("command %s: %w", path, err)}
	}
	return fmt.Errorf("command %s: %w", path, err)
}
