package fake

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// launcherModes start the real server below a shell, as npx does.
func launcherModes() []mode {
	return []mode{
		{
			name: "wrapper", about: "is only a launcher (fake -> sh -> fake), dies on SIGTERM without forwarding it",
			start: func(s *server) { launch(s) },
		},
		{
			name: "wrapper-orphan", about: "as wrapper, and the inner server ignores stdin EOF",
			start: func(s *server) { launch(s, "ignore-eof") },
		},
	}
}

// shell notes itself in the pidfile ($1, may be empty) and runs the rest as a child: the command after it keeps a clever
// shell from replacing itself by that child.
const shell = `if [ -n "$1" ]; then echo "sh $$ $PPID" >>"$1"; fi; shift; "$@"; exit $?`

// launch hands stdin and stdout on to an inner server with the other modes and never returns. What SIGTERM does to a
// launcher is the default: it dies, alone.
func launch(s *server, extra ...string) {
	resetSignals()
	_ = syscall.SetNonblock(int(s.in.Fd()), false) // as it was given to us; the inner server shares it
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	argv := append([]string{"-c", shell, "sh", s.pidfile, self}, wordsBeforeFlags()...)
	argv = append(argv, s.argv(innerModes(s.modes, extra))...)
	cmd := exec.Command("sh", argv...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "faulty:", err)
		os.Exit(exitBug)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// wordsBeforeFlags are what makes a program that embeds this one be it.
func wordsBeforeFlags() (words []string) {
	for _, word := range os.Args[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		words = append(words, word)
	}
	return words
}

func innerModes(modes []mode, extra []string) []string {
	inner := append([]string{"ok"}, extra...)
	for _, m := range modes {
		if !strings.HasPrefix(m.name, "wrapper") {
			inner = append(inner, m.name)
		}
	}
	return inner
}
