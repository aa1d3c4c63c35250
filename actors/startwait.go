package actors

import (
	"slices"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// startWait is how long a first start of a server may take: its own start_timeout after those of the servers that come
// up before it, which take theirs one after the other at worst.
func (e *env) startWait(server config.Server) time.Duration {
	ws := e.ws()
	seen := map[string]bool{}
	var longest func(s config.Server) time.Duration
	longest = func(s config.Server) time.Duration {
		seen[s.ID] = true
		var before time.Duration
		for _, id := range comesAfter(ws, s) {
			if first, ok := ws.Server(id); ok && !seen[id] {
				before = max(before, longest(first))
			}
		}
		return before + s.StartTimeout
	}
	return longest(server)
}

// comesAfter are the servers that come up before one: those it depends on, and the earlier members of its group.
func comesAfter(ws *config.Workspace, s config.Server) []string {
	list := s.DependsOn
	for _, g := range ws.Groups {
		if at := slices.Index(g.Members, s.ID); at > 0 && g.Strategy != supervision.OneForOne {
			list = append(slices.Clone(list), g.Members[at-1])
		}
	}
	return list
}
