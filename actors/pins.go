package actors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/governance/pins"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of the pins actor.
type (
	// toolsSeen tells what a server offers now.
	toolsSeen struct {
		Server string
		offer
	}
	// approveTools takes tools as they are now for good; the sender gets toolsApproved.
	approveTools struct {
		Server string
		Tools  []string // none: all that the server offers
	}
	toolsApproved struct {
		Changes []ToolChange
		Error   string
	}
	// listChanges is answered with a []ToolChange.
	listChanges struct{}
	// lockRead is the lock as a reload found it.
	lockRead struct{ Lock *pins.Lock }
)

// pinner compares what servers offer with what was approved, and keeps tools.lock. It is the only writer of both.
type pinner struct {
	env   *env
	tools map[string][]pins.Seen // by server: all that it offers, exposed or not
	told  map[string]string
	// unwritable is true while the file of the lock cannot be written.
	unwritable bool
}

func newPinner(e *env) *pinner {
	return &pinner{env: e, tools: map[string][]pins.Seen{}, told: map[string]string{}}
}

func (p *pinner) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		p.env.root.RequestWithCustomSender(p.env.servers, sendCatalogues{}, ctx.Self())
	case catalogueKnown:
		p.onSeen(m.Server, m.offer)
	case toolsSeen:
		p.onSeen(m.Server, m.offer)
	case approveTools:
		ctx.Respond(p.onApprove(m))
	case listChanges:
		ctx.Respond(p.changes())
	case lockRead:
		p.onLock(m.Lock)
	default:
		p.env.unexpected("pins", m)
	}
}

// onSeen pins what is seen for the first time, and tells what is not as it was approved.
func (p *pinner) onSeen(server string, o offer) {
	if o.Catalogue == nil || p.env.lockFile == "" || p.mode() == gov.PinningOff {
		return
	}
	tools := seen(governance.NewCatalogue(o.Offered, gov.Server{ID: server}))
	p.tools[server] = tools
	p.compare(server)
}

func (p *pinner) compare(server string) {
	lock, tools := p.env.world.Load().lock, p.tools[server]
	diff := lock.Compare(server, tools)
	switch {
	case !lock.Has(server):
		p.keep(server, lock.With(server, tools...))
	case len(diff.New) > 0 && p.mode() != gov.PinningEnforce:
		p.keep(server, lock.With(server, only(tools, changedTools(diff.New))...))
	}
	p.tell(server, lock, diff)
}

func (p *pinner) mode() gov.Pinning { return p.env.ws().Governance.Pinning }

// tell tells a difference once.
func (p *pinner) tell(server string, lock *pins.Lock, diff pins.Diff) {
	var words []string
	if lock.Has(server) {
		for _, c := range slices.Concat(diff.New, diff.Changed, diff.Gone) {
			words = append(words, c.String())
		}
	}
	for _, c := range slices.Concat(diff.New, diff.Changed) {
		if len(c.New.Flags) > 0 {
			words = append(words, fmt.Sprintf("tool %q says things that cannot be seen: %s", c.Tool, strings.Join(c.New.Flags, ", ")))
		}
	}
	text := strings.Join(words, "; ")
	if text == p.told[server] {
		return
	}
	p.told[server] = text
	if text == "" {
		return
	}
	if p.mode() == gov.PinningEnforce && len(diff.New)+len(diff.Changed) > 0 && lock.Has(server) {
		text += fmt.Sprintf("; refused until `supervisor tools approve %s`", server)
	}
	p.env.send(p.env.instance(server), warned{Text: text})
	r := audit.Fact(audit.ToolsChanged, map[string]any{"changes": words})
	r.Server = server
	p.env.record(r)
	p.env.hub.publish(messages.Event{Kind: messages.ToolsChanged, Server: server, Detail: text})
}

// keep puts a lock in force and writes it to its file. That it cannot be written is told once.
func (p *pinner) keep(server string, lock *pins.Lock) {
	p.env.pin(lock)
	err := writeLock(p.env.lockFile, lock)
	if err != nil && !p.unwritable {
		p.env.send(p.env.instance(server), warned{Text: "its tools are not pinned for the next start: " + err.Error()})
	}
	p.unwritable = err != nil
}

func (p *pinner) onApprove(m approveTools) toolsApproved {
	tools, ok := p.tools[m.Server]
	if !ok {
		return toolsApproved{Error: fmt.Sprintf("nobody knows what server `%s` offers: start it first, and see that governance.pinning is not off", m.Server)}
	}
	for _, name := range m.Tools {
		if !slices.ContainsFunc(tools, func(t pins.Seen) bool { return t.Name == name }) {
			return toolsApproved{Error: fmt.Sprintf("server `%s` has no tool `%s` now", m.Server, name)}
		}
	}
	if len(m.Tools) > 0 {
		tools = only(tools, m.Tools)
	}
	lock := p.env.world.Load().lock
	changes := p.changesOf(m.Server)
	p.keep(m.Server, lock.With(m.Server, tools...))
	if left := p.changesOf(m.Server); len(left) == 0 {
		p.told[m.Server] = ""
	}
	r := audit.Fact(audit.ToolsApproved, map[string]any{"tools": namesOf(tools)})
	r.Server = m.Server
	p.env.record(r)
	return toolsApproved{Changes: slices.DeleteFunc(changes, func(c ToolChange) bool {
		return len(m.Tools) > 0 && !slices.Contains(m.Tools, c.Tool)
	})}
}

func (p *pinner) onLock(lock *pins.Lock) {
	p.env.pin(lock)
	for server := range p.tools {
		p.compare(server)
	}
}

// changes are the tools that are not as they were approved, of all servers that were seen.
func (p *pinner) changes() []ToolChange {
	list := []ToolChange{}
	for _, s := range p.env.ws().Servers {
		list = append(list, p.changesOf(s.ID)...)
	}
	return list
}

func (p *pinner) changesOf(server string) []ToolChange {
	tools, ok := p.tools[server]
	if !ok {
		return nil
	}
	diff := p.env.world.Load().lock.Compare(server, tools)
	var list []ToolChange
	add := func(kind string, changes []pins.Change) {
		for _, c := range changes {
			list = append(list, ToolChange{Server: server, Tool: c.Tool, Kind: kind, Text: c.String(), What: c.What})
		}
	}
	add("new", diff.New)
	add("changed", diff.Changed)
	add("gone", diff.Gone)
	return list
}

func seen(c *governance.Catalogue) []pins.Seen {
	var list []pins.Seen
	for _, t := range c.Tools() {
		list = append(list, pins.Seen{Tool: t.Tool, Hash: t.Hash})
	}
	return list
}

func only(tools []pins.Seen, wanted []string) []pins.Seen {
	return slices.DeleteFunc(slices.Clone(tools), func(t pins.Seen) bool { return !slices.Contains(wanted, t.Name) })
}

func changedTools(changes []pins.Change) []string {
	var list []string
	for _, c := range changes {
		list = append(list, c.Tool)
	}
	return list
}

func namesOf(tools []pins.Seen) []string {
	var list []string
	for _, t := range tools {
		list = append(list, t.Name)
	}
	return list
}

func (p *pinner) letGo(actor.Context, *safe.Crash) {}

func (p *pinner) refuse(ctx actor.Context, c *safe.Crash) {
	switch ctx.Message().(type) {
	case approveTools:
		ctx.Respond(toolsApproved{Error: p.env.unsent(messages.Call{}, c).Error.Message})
	case listChanges:
		ctx.Respond([]ToolChange(nil))
	}
}
