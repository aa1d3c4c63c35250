package fake

import (
	"fmt"
	"strings"
)

// sizeModes write more than a careless reader has room for.
func sizeModes() []mode {
	return []mode{
		{
			name: "huge-result", about: "call result text is --size bytes on one line", numbers: numbers{size: 1_100_000},
			result: func(s *server, _ *message, _ string) string { return textResult(strings.Repeat("x", s.size)) },
		},
		{
			name: "huge-tools", about: "tools/list is at least --size bytes (long descriptions)", numbers: numbers{size: 1_100_000},
			tools: lengthen,
		},
		{
			name: "endless-line", about: "on tools/call writes --size bytes with no newline and never ends the message", numbers: numbers{size: 100_000_000},
			on: onCall(func(s *server, m *message, _ func()) {
				s.out.writeForever(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"content":[{"type":"text","text":"`, s.size)
			}),
		},
		{name: "many-tools", about: "lists --n tools", numbers: numbers{n: 500}, tools: func(s *server, list []listed) []listed {
			for i := len(list); i < s.n; i++ {
				list = append(list, plain(fmt.Sprintf("tool_%04d", i), "one of many"))
			}
			return list[:max(s.n, 0)]
		}},
	}
}

// lengthen makes the descriptions share the size.
func lengthen(s *server, list []listed) []listed {
	long := strings.Repeat("d", s.size/len(list)+1)
	for i, t := range list {
		list[i].json = strings.Replace(t.json, `"description":"`, `"description":"`+long, 1)
	}
	return list
}
