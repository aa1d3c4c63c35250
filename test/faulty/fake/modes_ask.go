package fake

// pingModes do not answer ping.
func pingModes() []mode {
	return []mode{
		{name: "no-ping", about: "ping gives -32601", on: map[string]hook{"ping": func(s *server, m *message, _ func()) {
			s.fail(m, methodNotFound, "method not found: ping")
		}}},
		{name: "ping-silent", about: "ping is never answered", on: map[string]hook{"ping": never}},
	}
}

// askModes want something from the client before they answer a call. What they got is the second text of the result.
func askModes() []mode {
	own := func(m *message) string { return `"ask-` + trimQuotes(string(m.ID)) + `"` }
	same := func(m *message) string { return string(m.ID) }
	return []mode{
		{name: "server-ping", about: "tools/call first sends ping to the client", on: onCall(asks("ping", own))},
		{name: "roots-request", about: "tools/call first sends roots/list to the client", on: onCall(asks("roots/list", own))},
		{name: "unknown-request", about: "tools/call first sends the unknown method x/unknown (wants -32601)", on: onCall(asks("x/unknown", own))},
		{name: "same-id-request", about: "as server-ping, but with the id of the pending client request", on: onCall(asks("ping", same))},
	}
}

func asks(method string, id func(*message) string) hook {
	return func(s *server, m *message, next func()) {
		s.beside(func() {
			m.notes = append(m.notes, "client answered "+s.ask(id(m), method))
			next()
		})
	}
}

func trimQuotes(id string) string {
	if len(id) >= 2 && id[0] == '"' {
		return id[1 : len(id)-1]
	}
	return id
}
