package fake

import (
	"context"
	"fmt"
	"slices"
)

// protocols are the versions it speaks, the newest last.
var protocols = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// behave does what a good server does.
func (s *server) behave(m *message) {
	switch m.Method {
	case "initialize":
		s.initialize(m)
	case "ping", "logging/setLevel":
		s.answer(m, "{}")
	case "tools/list":
		s.answer(m, listResult(s.list(), ""))
	case "tools/call":
		s.call(m)
	case "notifications/cancelled":
		if cancel, ok := s.sleeping.Load(string(m.Params.RequestID)); ok {
			cancel.(context.CancelFunc)()
		}
	default:
		if m.ID != nil {
			s.fail(m, methodNotFound, "method not found: "+m.Method)
		}
	}
}

func (s *server) initialize(m *message) {
	version := protocols[len(protocols)-1]
	if slices.Contains(protocols, m.Params.Protocol) {
		version = m.Params.Protocol
	}
	result := fields{
		"protocolVersion": version,
		"capabilities":    fields{"tools": fields{"listChanged": true}, "logging": fields{}},
		"serverInfo":      fields{"name": s.name, "version": "1.0.0"},
	}
	for _, mode := range s.modes {
		if mode.handshake != nil {
			mode.handshake(s, result)
		}
	}
	s.answer(m, encode(result))
}

// answer sends the response to m.
func (s *server) answer(m *message, result string) {
	text := response(m, result)
	for _, mode := range s.modes {
		if mode.answer != nil {
			text = mode.answer(s, m, result)
		}
	}
	s.out.send(text)
}

func response(m *message, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// fail answers m with a JSON-RPC error.
func (s *server) fail(m *message, code rpcCode, text string) {
	s.out.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, m.ID, code, quote(text)))
}

// say answers a tools/call with text.
func (s *server) say(m *message, text string) {
	s.result(m, textResult(append([]string{text}, m.notes...)...))
}

// result answers a tools/call, with what the modes make of the result.
func (s *server) result(m *message, result string) {
	for _, mode := range s.modes {
		if mode.result != nil {
			result = mode.result(s, m, result)
		}
	}
	s.answer(m, result)
}

// notify sends a notification; params is a JSON text.
func (s *server) notify(method, params string) {
	s.out.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%s,"params":%s}`, quote(method), params))
}

// ask sends a request to the client, waits for its response, and returns the response as it came.
func (s *server) ask(id, method string) string {
	heard := make(chan string, 1)
	s.asked.Store(id, heard)
	defer s.asked.Delete(id)
	s.out.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s}`, id, quote(method)))
	return <-heard
}

// hear takes a response to ask; a response nobody waits for is dropped.
func (s *server) hear(m *message) {
	if heard, ok := s.asked.LoadAndDelete(string(m.ID)); ok {
		heard.(chan string) <- m.raw
	}
}
