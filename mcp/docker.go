package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// containerTime bounds killing a container. The daemon needs some tenths of a second; one that hangs is not waited for.
const containerTime = 3 * time.Second

// container is what `docker run` started. It is a child of the daemon and not of ours: no group, cookie or cgroup of ours
// holds it, so that it has to be killed by its id.
type container struct {
	docker  *exec.Cmd // as it was started
	folder  string    // of the file with the id, ours to remove; empty when the file is the user's
	cidFile string
}

// contain looks for a `docker run` (or podman's) and completes it: --init, because most servers are no process 1 and
// ignore SIGTERM as one, and --cidfile, so that the container can be found. What the user gave stays as it is. It
// returns nil for other commands.
//
// Implementation note: options and the image's own arguments are not told apart. An argument of the image that looks
// like one of these two options only means that it is not added.
func contain(cmd *exec.Cmd) *container {
	at := runAt(cmd.Args)
	if at == 0 {
		return nil
	}
	c := &container{docker: cmd}
	options := cmd.Args[at:]
	var added []string
	if !slices.ContainsFunc(options, func(arg string) bool { return arg == "--init" || strings.HasPrefix(arg, "--init=") }) {
		added = append(added, "--init")
	}
	if c.cidFile = given(options, "--cidfile"); c.cidFile == "" {
		folder, err := os.MkdirTemp("", "mcp-supervisor-")
		if err == nil {
			c.folder, c.cidFile = folder, filepath.Join(folder, "cid")
			added = append(added, "--cidfile", c.cidFile)
		}
	} else if !filepath.IsAbs(c.cidFile) {
		c.cidFile = filepath.Join(cmd.Dir, c.cidFile)
	}
	cmd.Args = slices.Insert(slices.Clone(cmd.Args), at, added...)
	return c
}

// runAt is the index of the first argument after "docker run" or "docker container run", or 0.
func runAt(args []string) int {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(args[0])), ".exe")
	switch {
	case name != "docker" && name != "podman":
		return 0
	case len(args) > 1 && args[1] == "run":
		return 2
	case len(args) > 2 && args[1] == "container" && args[2] == "run":
		return 3
	}
	return 0
}

// given is the value of an option, as "--name value" or "--name=value".
func given(args []string, name string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
		if arg == name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// kill kills the container, if there is one and it still runs. An error of docker's is most often that it does not.
func (c *container) kill() {
	if c == nil {
		return
	}
	if id, err := os.ReadFile(c.cidFile); err == nil && len(id) > 0 {
		c.run("kill", strings.TrimSpace(string(id)))
	}
	c.forget()
}

func (c *container) forget() {
	if c != nil && c.folder != "" {
		_ = os.RemoveAll(c.folder)
	}
}

// run runs another command of the same docker, with the environment that says which daemon it talks to.
func (c *container) run(args ...string) {
	ctx, cancel := context.WithTimeout(context.Background(), containerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.docker.Path, args...)
	cmd.Dir, cmd.Env = c.docker.Dir, c.docker.Env
	ownGroup(cmd)
	cmd.Cancel = func() error { signalGroup(cmd, sigKill); return nil }
	if startOwn(cmd) == nil {
		await(cmd)
	}
}
