package demoserver

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

var (
	errOutside    = errors.New("the path leads out of the root folder; use one relative to it")
	errTooLarge   = errors.New("it is larger than 1 MiB")
	errNotRegular = errors.New("it is not a regular file")
)

// explain words an error for the model that made the call: what was tried, on which path, and what to do. The path of
// the root folder is none of its business.
func explain(verb, path string, err error) error {
	switch {
	case path == "":
		err = errors.New("the path is empty")
	case leadsOut(path, err):
		err = errOutside
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("no such file or folder")
	default:
		err = withoutPath(err)
	}
	return fmt.Errorf("cannot %s %q: %w", verb, path, err)
}

// leadsOut recognises os.Root's refusal, which has no sentinel, by the path itself and, where a symbolic link leads out,
// by its text.
func leadsOut(path string, err error) bool {
	return !filepath.IsLocal(path) || strings.Contains(err.Error(), "path escapes from parent")
}

func withoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
