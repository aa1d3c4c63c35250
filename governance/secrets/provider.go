package secrets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Provider finds the value of a credential. It is safe for concurrent use.
type Provider interface {
	// Resolve returns the value, which is not empty. It may block, on a network say, and returns soon after ctx ends.
	// Errors name the credential, its source and where it was looked for, and never hold a value.
	Resolve(ctx context.Context, r Reference) (string, error)
}

// Reference says where a credential's value is. It holds no secret.
type Reference struct {
	Name string
	// Source is env or file for the builtin provider.
	Source string
	// Config is {env: VARIABLE} or {path: FILE}.
	Config map[string]string
}

// maxFile bounds a secret's file, in bytes: certificates with their chain have some ten thousand.
const maxFile = 1 << 20

// Builtin resolves the sources env and file. lookupEnv looks a variable up; nil means os.LookupEnv.
//
// A file is read anew each time, so that a value which is rotated is seen at a server's next start. One newline at its
// end is not part of the value.
func Builtin(lookupEnv func(name string) (string, bool)) Provider {
	if lookupEnv == nil {
		lookupEnv = os.LookupEnv
	}
	return builtin{lookupEnv: lookupEnv}
}

type builtin struct {
	lookupEnv func(string) (string, bool)
}

func (b builtin) Resolve(ctx context.Context, r Reference) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var value string
	var err error
	switch r.Source {
	case "env":
		value, err = b.fromEnv(r.Config["env"])
	case "file":
		value, err = fromFile(r.Config["path"])
	default:
		err = errors.New("the source is not supported; use env or file")
	}
	if err != nil {
		return "", fmt.Errorf("credential %q (source %s): %w", r.Name, r.Source, err)
	}
	return value, nil
}

func (b builtin) fromEnv(variable string) (string, error) {
	if variable == "" {
		return "", errors.New("config.env names no environment variable")
	}
	value, set := b.lookupEnv(variable)
	switch {
	case !set:
		return "", fmt.Errorf("environment variable %s is not set", variable)
	case value == "":
		return "", fmt.Errorf("environment variable %s is empty", variable)
	}
	return value, nil
}

func fromFile(path string) (string, error) {
	if path == "" {
		return "", errors.New("config.path names no file")
	}
	data, err := readFile(path)
	if err != nil {
		return "", err
	}
	if len(data) > maxFile {
		return "", fmt.Errorf("%s is longer than %d bytes", path, maxFile)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if value == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return value, nil
}

// readFile reads at most one byte more than maxFile of a regular file; opening a pipe could block for ever.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err // names the path
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
