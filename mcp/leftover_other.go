//go:build !linux

package mcp

import (
	"errors"
	"fmt"
	"runtime"
)

// LeftOver lists the living processes that carry a cookie of this program. That needs /proc: elsewhere than on Linux the
// error wraps [errors.ErrUnsupported].
func LeftOver() ([]int, error) {
	return nil, fmt.Errorf("processes cannot be told by their environment on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// Descendants lists the living descendants of a process. It knows of none elsewhere than on Linux.
func Descendants(int) []int { return nil }
