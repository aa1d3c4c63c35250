package fake

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// exitModes end the process outside a call.
func exitModes() []mode {
	return []mode{
		{
			name: "exit-on-start", about: "prints a reason on stderr, exits with --code before reading anything",
			numbers: numbers{code: 1}, start: func(s *server) {
				fmt.Fprintln(os.Stderr, "reason-marker-4711: the database is not reachable")
				os.Exit(s.code)
			},
		},
		{
			name: "exit-silent", about: "exits with --code at once, nothing on stderr",
			numbers: numbers{code: 1}, start: func(s *server) { os.Exit(s.code) },
		},
		{
			name: "exit-after-init", about: "answers initialize and tools/list properly, then exits 0",
			on: map[string]hook{"tools/list": func(_ *server, _ *message, next func()) { next(); os.Exit(0) }},
		},
		{
			name: "exit-idle", about: "works, exits 0 after --ms of life",
			numbers: numbers{ms: 1000}, start: func(s *server) { time.AfterFunc(ms(s.ms), func() { os.Exit(0) }) },
		},
	}
}

// crashModes end the process, or the connection, at a call.
func crashModes() []mode {
	var calls atomic.Int64
	return []mode{
		{
			name: "crash-on-call", about: "dies with exit code 1 on tools/call, no answer",
			on: onCall(func(*server, *message, func()) { crash() }),
		},
		{
			name: "crash-after-n", about: "answers --n tool calls, dies on the next one", numbers: numbers{n: 2},
			on: onCall(func(s *server, _ *message, next func()) {
				if calls.Add(1) > int64(s.n) {
					crash()
				}
				next()
			}),
		},
		{
			name: "sigsegv", about: "kills itself with SIGSEGV on tools/call",
			on: onCall(func(*server, *message, func()) { segfault() }),
		},
		{
			name: "partial-then-crash", about: "writes half of the response line, then dies",
			answer: func(s *server, m *message, result string) string {
				text := response(m, result)
				if m.Method == "tools/call" {
					s.out.write(text[:len(text)/2])
					crash()
				}
				return text
			},
		},
		{
			name: "half-close", about: "on tools/call closes its stdout but stays alive and keeps reading",
			on: onCall(func(s *server, _ *message, next func()) { s.out.close(); next() }),
		},
		{
			name: "close-stdin", about: "--ms after initialize closes its stdin but stays alive (the writer sees EPIPE)",
			numbers: numbers{ms: 50}, on: onInit(func(s *server, _ *message, next func()) {
				next()
				time.AfterFunc(ms(s.ms), func() { _ = s.in.Close() })
			}),
		},
		{
			name: "freeze", about: "stops itself with SIGSTOP on tools/call",
			on: onCall(func(_ *server, _ *message, next func()) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
				time.Sleep(100 * time.Millisecond) // the threads are stopped one after the other, this one may be the last
				next()
			}),
		},
	}
}

func crash() {
	fmt.Fprintln(os.Stderr, "fatal: crashed on purpose")
	os.Exit(1)
}

// segfault ends the process by the signal itself. Go's runtime would turn a SIGSEGV into a trace and exit code 2, so the
// process becomes a shell, whose signals have their default effect, and that shoots itself.
func segfault() {
	err := syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -s SEGV $$"}, os.Environ())
	fmt.Fprintln(os.Stderr, "faulty:", err)
	os.Exit(exitBug)
}

// deafModes do not end when they are asked to.
func deafModes() []mode {
	return []mode{
		{name: "ignore-eof", about: "keeps running after stdin EOF", ended: func(*server) { forever() }},
		{name: "ignore-sigterm", about: "ignores SIGTERM, SIGINT and SIGHUP", deaf: true},
		{
			name: "slow-exit", about: "needs --ms to exit after stdin EOF", numbers: numbers{ms: 800},
			ended: func(s *server) { time.Sleep(ms(s.ms)) },
		},
	}
}
