package fake

import "strings"

// frameModes write more than messages to stdout.
func frameModes() []mode {
	return []mode{
		{
			name: "junk-stdout", about: "prints a 3-line banner on stdout before the first message",
			start: func(s *server) { s.out.write("*** Faulty 1.0\nListening on stdio.\nReady!\n") },
		},
		{
			name: "junk-interleaved", about: "prints a log line on stdout before and after every message",
			frame: func(text string) string { return "[INFO] about to write\n" + text + "[INFO] wrote\n" },
		},
		{
			name: "junk-json", about: "prints valid JSON lines that are not JSON-RPC before every message",
			frame: func(text string) string { return "null\n5\n\"x\"\n[]\n{}\n{\"level\":\"info\"}\n" + text },
		},
		{
			name: "blank-lines", about: "prints empty and whitespace-only lines between messages",
			frame: func(text string) string { return "\n  \n\t\n" + text + "\n" },
		},
		{
			name: "crlf", about: "ends every message with CR LF",
			frame: func(text string) string { return strings.TrimSuffix(text, "\n") + "\r\n" },
		},
		{
			name: "ansi", about: "puts lines with ANSI escape sequences around every message",
			frame: func(text string) string { return "\x1b[32m\n" + text + "\x1b[0m\n" },
		},
		{
			name: "bad-json", about: "on tools/call writes a truncated JSON line first, then the right answer",
			on: onCall(func(s *server, m *message, next func()) {
				s.out.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[{"type":"te` + "\n")
				next()
			}),
		},
	}
}
