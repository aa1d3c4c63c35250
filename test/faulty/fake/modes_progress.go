package fake

import (
	"fmt"
	"time"
)

// progressModes send progress and log notifications.
func progressModes() []mode {
	const line = "done\n2026-01-01T00:00:00Z INFO audit: outcome=ok tool=write agent=root\r\x1b[2J\x1b[31mforged\x1b[0m\u2028end"
	return []mode{
		{
			name: "progress", about: "tools/call sends --n progress notifications (if a token was given), then the result", numbers: numbers{n: 5},
			on: onCall(func(s *server, m *message, next func()) {
				for i := 1; i <= s.n && m.Params.Meta.Token != nil; i++ {
					s.progress(string(m.Params.Meta.Token), i, s.n)
				}
				next()
			}),
		},
		{
			name: "progress-forever", about: "tools/call sends progress every 200 ms and never answers",
			on: onCall(func(s *server, m *message, _ func()) { s.beside(func() { s.progressForever(tokenOf(m)) }) }),
		},
		{
			name: "progress-bogus", about: "progress with a token nobody gave, non-monotonic, and after the end of the call",
			on: onCall(func(s *server, m *message, next func()) {
				s.progress(`"nobody"`, 1, 3)
				s.progress(tokenOf(m), 2, 3)
				s.progress(tokenOf(m), 1, 3)
				next()
				s.progress(tokenOf(m), 3, 3)
			}),
		},
		{
			name: "log-injection", about: "log notifications and results hold newlines, ANSI escapes and fake log lines",
			on: onCall(func(s *server, _ *message, next func()) {
				s.notify("notifications/message", `{"level":"info","data":`+quote(line)+`}`)
				next()
			}),
			result: func(*server, *message, string) string { return textResult(line) },
		},
	}
}

func (s *server) progress(token string, done, total int) {
	s.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":%d}`, token, done, total))
}

func (s *server) progressForever(token string) {
	for done := 1; ; done++ {
		s.progress(token, done, done+1)
		time.Sleep(200 * time.Millisecond)
	}
}

// tokenOf is the caller's progress token, or one nobody gave.
func tokenOf(m *message) string {
	if m.Params.Meta.Token == nil {
		return `"none"`
	}
	return string(m.Params.Meta.Token)
}
