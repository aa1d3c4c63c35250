package fake

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var secretName = regexp.MustCompile(`TOKEN|KEY|SECRET|PASSWORD`)

// stderrModes say too much on stderr.
func stderrModes() []mode {
	return []mode{
		{
			name: "stderr-flood", about: "writes --size bytes to stderr before answering initialize", numbers: numbers{size: 200_000},
			on: onInit(func(s *server, _ *message, next func()) { flood(s.size); next() }),
		},
		{
			name: "stderr-flood-call", about: "writes --size bytes to stderr before answering each tools/call", numbers: numbers{size: 200_000},
			on: onCall(func(s *server, _ *message, next func()) { flood(s.size); next() }),
		},
		{
			name: "stderr-secret", about: "prints the values of its env vars matching TOKEN|KEY|SECRET|PASSWORD on stderr",
			start: func(*server) { tellSecrets() },
		},
	}
}

// flood writes size bytes of log lines and blocks when nobody reads them.
func flood(size int) {
	const line = "2026-01-01T00:00:00Z DEBUG cache: nothing of interest happened here either\n"
	for left := size; left > 0; left -= len(line) {
		fmt.Fprint(os.Stderr, line[max(0, len(line)-left):])
	}
}

func tellSecrets() {
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); secretName.MatchString(name) {
			fmt.Fprintln(os.Stderr, "using", name, value)
		}
	}
}
