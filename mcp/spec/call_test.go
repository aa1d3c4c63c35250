package spec

import "testing"

func TestAnExitInWords(t *testing.T) {
	for name, c := range map[string]struct {
		exit Exit
		want string
	}{
		"a code":          {Exit{Code: 3}, "exited with code 3"},
		"a signal":        {Exit{Code: -1, Signal: "SIGSEGV"}, "killed by SIGSEGV"},
		"nothing":         {Exit{Code: -1}, "ended"},
		"a reason":        {Exit{Code: 143, Reason: "was stopped with SIGTERM"}, "was stopped with SIGTERM (exited with code 143)"},
		"a kill of ours":  {Exit{Code: -1, Signal: "SIGKILL", Reason: "closed its stdin"}, "closed its stdin; the supervisor killed it (SIGKILL)"},
		"another's kill":  {Exit{Code: -1, Signal: "SIGKILL"}, "killed by SIGKILL"},
		"its last line":   {Exit{Code: 1, StderrTail: []string{"reading", "no licence"}}, "exited with code 1; stderr: no licence"},
		"an empty end":    {Exit{Code: 1, StderrTail: []string{"no licence", " "}}, "exited with code 1; stderr: no licence"},
		"a panic":         {Exit{Code: 2, StderrTail: []string{"ready", "panic: boom", "", "goroutine 1 [running]:", "    /m.go:3"}}, "exited with code 2; stderr: panic: boom"},
		"a runtime error": {Exit{Code: 2, StderrTail: []string{"fatal error: all goroutines are asleep", "main.main()"}}, "exited with code 2; stderr: fatal error: all goroutines are asleep"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.exit.String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
