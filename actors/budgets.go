package actors

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// groupOf is the group that a server is a member of.
func groupOf(ws *config.Workspace, id string) (supervision.Group, bool) {
	for _, g := range ws.Groups {
		if slices.Contains(g.Members, id) {
			return g, true
		}
	}
	return supervision.Group{}, false
}

// history is what was decided so far, as servers left it last.
func (e *env) history() supervision.History {
	if past := e.past.Load(); past != nil {
		return *past
	}
	return supervision.History{}
}

// spent says which budget a server used up that was just given up. It is its own, its group's, or none: a probe that
// failed needs none.
func (s *servers) spent(id string) string {
	declared, _ := s.env.ws().Server(id)
	g, grouped := groupOf(s.env.ws(), id)
	rule, now := declared.Restart, time.Now()
	switch own := s.history.Child(id).Used(rule, now); {
	case rule.MaxRestarts == 0:
		return "it may not be restarted (max_restarts: 0)"
	case own >= rule.MaxRestarts:
		return fmt.Sprintf("it has used up its %s within %s", count(rule.MaxRestarts, "restart"), rule.Within)
	case grouped && g.MaxRestarts == 0:
		return fmt.Sprintf("its group `%s` may not restart anybody (max_restarts: 0)", g.Name)
	case grouped && s.history.Used(g, now) >= g.MaxRestarts:
		return fmt.Sprintf("its group `%s` has used up its %s within %s (its own: %d of %d)",
			g.Name, count(g.MaxRestarts, "restart"), g.Within, own, rule.MaxRestarts)
	}
	return "its probe start failed as well"
}

// restartText counts the restart that comes next, against both budgets of a member of a group.
func (i *instance) restartText() string {
	text := fmt.Sprintf("restart %d of %d", i.used(), i.declared.Restart.MaxRestarts)
	if g, used, ok := i.group(); ok {
		text += fmt.Sprintf(", %d of %d of group `%s`,", used, g.MaxRestarts, g.Name)
	}
	return text
}

// group is the server's group, and how many restarts count against its budget now.
func (i *instance) group() (g supervision.Group, used int, ok bool) {
	if g, ok = groupOf(i.env.ws(), i.declared.ID); ok {
		used = i.env.history().Used(g, time.Now())
	}
	return g, used, ok
}
