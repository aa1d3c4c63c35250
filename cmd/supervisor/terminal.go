package main

import (
	"bufio"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// atTerminal reports whether a person can be asked: stderr is a terminal, and so is stdin, whose keys are ours. A command
// in the background would be stopped by the first key it reads.
func (a *app) atTerminal() bool {
	in, ok := a.in.(*os.File)
	if !ok {
		return false
	}
	out, ok := a.err.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return false
	}
	_, err = unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// linesOf are the lines that are typed, until the end of the input. Reading begins with the first call: until somebody is
// asked, the keys are not ours. The reader ends with the input, or with the process.
func linesOf(in io.Reader) func() <-chan string {
	return sync.OnceValue(func() <-chan string {
		lines := make(chan string)
		safe.Go("keys", nil, func() {
			defer close(lines)
			for typed := bufio.NewScanner(in); typed.Scan(); {
				lines <- typed.Text()
			}
		})
		return lines
	})
}

// oneWriter keeps lines apart that several goroutines write.
type oneWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *oneWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}
