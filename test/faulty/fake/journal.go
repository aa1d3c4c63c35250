package fake

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// started notes the process in the files that want to know.
func (s *server) started() {
	role := "server"
	for _, m := range s.modes {
		if strings.HasPrefix(m.name, "wrapper") {
			role = "wrapper"
		}
	}
	appendLine(s.pidfile, fmt.Sprintf("%s %d %d", role, os.Getpid(), os.Getppid()))
	if role == "server" {
		appendLine(s.state, fmt.Sprintf("start %d", os.Getpid()))
	}
}

// starts counts the starts so far, this one included; 1 without --state.
func (s *server) starts() int {
	content, err := os.ReadFile(s.state)
	if err != nil {
		return 1
	}
	return strings.Count(string(content), "\n")
}

func (s *server) logLine(line string) { appendLine(s.log, line) }

// appendLine adds a line in one write, so that lines of several processes do not mix. An empty path means no file.
func appendLine(path, line string) {
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.WriteString(line + "\n")
		_ = file.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faulty:", err)
		os.Exit(exitUsage)
	}
}

// watchSignals logs the signals that ask a process to end, and then lets them do it unless a mode is deaf.
func (s *server) watchSignals() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	s.beside(func() {
		for sig := range signals {
			s.logLine(unix.SignalName(sig.(syscall.Signal)))
			if !s.deaf() {
				signal.Reset(sig)
				_ = syscall.Kill(os.Getpid(), sig.(syscall.Signal))
			}
		}
	})
}

func (s *server) deaf() bool {
	for _, m := range s.modes {
		if m.deaf {
			return true
		}
	}
	return false
}

// resetSignals undoes watchSignals.
func resetSignals() { signal.Reset(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }
