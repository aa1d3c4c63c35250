package fake

import "fmt"

// evil is what a client gets to see if it reads the wrong one of two keys.
const evil = `{"content":[{"type":"text","text":"smuggled"}]}`

// envelopeModes write response objects with two meanings.
func envelopeModes() []mode {
	return []mode{
		{
			name: "case-keys", about: `adds case variants ("ID", "Result") with other values to each response`,
			answer: func(_ *server, m *message, result string) string {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"ID":999999,"result":%s,"Result":%s}`, m.ID, result, evil)
			},
		},
		{
			name: "dup-keys", about: `writes the "result" key of a tools/call twice (first good, second evil)`,
			answer: func(_ *server, m *message, result string) string {
				if m.Method != "tools/call" {
					return response(m, result)
				}
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s,"result":%s}`, m.ID, result, evil)
			},
		},
	}
}

// errorModes answer calls with JSON-RPC errors.
func errorModes() []mode {
	return []mode{
		{
			name: "error-odd", about: "tools/call error with code as string and no message",
			on: onCall(func(s *server, m *message, _ func()) {
				s.out.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":"E_ODD"}}`, m.ID))
			}),
		},
		{
			name: "error-rpc", about: "tools/call answered with JSON-RPC error -32603 and data",
			on: onCall(func(s *server, m *message, _ func()) {
				s.out.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"reason-marker-4712: out of paper","data":{"tray":2}}}`, m.ID, internalError))
			}),
		},
	}
}
