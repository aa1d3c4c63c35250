package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

// refreeze tells the gates, servers, and through it the instances, that more or less is frozen, so that what waits or runs
// ends: new calls are denied already.
type refreeze struct{ Frozen governance.Frozen }

// Freeze implements [Gatekeeper].
func (s *Supervisor) Freeze(ctx context.Context, f governance.Frozen) (governance.Frozen, error) {
	if err := s.knowsAll(f); err != nil {
		return s.frozen(), err
	}
	return s.switchTo(ctx, func(now governance.Frozen) governance.Frozen { return now.With(f) })
}

// Thaw implements [Gatekeeper].
func (s *Supervisor) Thaw(ctx context.Context, f governance.Frozen) (governance.Frozen, error) {
	return s.switchTo(ctx, func(now governance.Frozen) governance.Frozen { return now.Without(f) })
}

// Frozen implements [Gatekeeper].
func (s *Supervisor) Frozen(context.Context) (governance.Frozen, error) { return s.frozen(), nil }

func (s *Supervisor) frozen() governance.Frozen { return s.env.world.Load().frozen }

func (s *Supervisor) switchTo(ctx context.Context, change func(governance.Frozen) governance.Frozen) (governance.Frozen, error) {
	s.switching.Lock()
	defer s.switching.Unlock()
	next := change(s.frozen())
	kept := keepFrozen(s.state.dir, next)
	s.env.freeze(next)
	s.env.record(audit.Fact(audit.Frozen, next))
	s.env.hub.publish(messages.Event{Kind: messages.GateFrozen, Detail: next.String()})
	s.env.toGates(refreeze{Frozen: next})
	if _, err := s.env.askSurely(ctx, s.env.servers, refreeze{Frozen: next}); err != nil {
		return s.frozen(), errors.Join(interruptedBy(ctx, err), kept)
	}
	return next, kept
}

// knowsAll refuses names that stand for nobody: a freeze that freezes nothing must not look like one.
func (s *Supervisor) knowsAll(f governance.Frozen) error {
	for _, name := range f.Agents {
		if _, err := s.agentFor(name); err != nil && !s.declaredTwice(name) {
			return err
		}
	}
	for _, id := range f.Servers {
		if _, ok := s.env.ws().Server(id); !ok {
			return invalid("there is no MCP server `%s` in this workspace", id)
		}
	}
	return nil
}

// declaredTwice reports whether an id names agents of several topologies: freezing all of them is meant.
func (s *Supervisor) declaredTwice(id string) bool {
	n := 0
	for _, a := range s.env.ws().Agents() {
		if a.ID == id {
			n++
		}
	}
	return n > 1
}

// onRefreeze tells the servers, so that what waits or runs ends.
func (s *servers) onRefreeze(ctx actor.Context, m refreeze) {
	for _, child := range ctx.Children() {
		if id := childName(child); s.there[id] > 0 {
			ctx.Send(s.env.instance(id), m)
		}
	}
	ctx.Respond(m)
}

// onRefreeze refuses the calls that are frozen now and wait for a server or a person. Those that are being decided are
// not told more than the decision will say.
func (g *gate) onRefreeze(ctx actor.Context, m refreeze) {
	for _, w := range g.waiting {
		if (w.parked || w.sought) && frozenCall(m.Frozen, w.call) {
			g.refuseWith(ctx, w, frozenDecision(w.decision.Message(), frozenText(m.Frozen, w.call)))
		}
	}
}

// onRefreeze ends the calls that are frozen now.
func (i *instance) onRefreeze(ctx actor.Context, m refreeze) {
	for _, h := range i.queue.pick(func(h *heldCall) bool { return frozenCall(m.Frozen, h.call) }) {
		i.finish(h, refused(h.call, messages.Denied, frozenText(m.Frozen, h.call)))
	}
	for _, h := range i.running() {
		if frozenCall(m.Frozen, h.call) {
			i.giveUp(ctx, h, messages.Cancelled, frozenText(m.Frozen, h.call)+"; the server was told to cancel, the call may have taken effect")
		}
	}
}

func frozenCall(f governance.Frozen, c messages.Call) bool {
	return f.Covers(c.Topology, c.Agent, c.Server)
}

func frozenText(f governance.Frozen, c messages.Call) string {
	server := governance.Frozen{Servers: f.Servers}
	if server.Covers(c.Topology, c.Agent, c.Server) {
		return fmt.Sprintf("DENIED: server `%s` is frozen; an operator has to thaw it", c.Server)
	}
	return fmt.Sprintf("DENIED: agent `%s` is frozen; an operator has to thaw it", c.Agent)
}

const frozenFile = "frozen.json"

// keepFrozen writes the switch to the state folder, so that a restart does not thaw it.
func keepFrozen(dir string, f governance.Frozen) error {
	path := filepath.Join(dir, frozenFile)
	if f.Empty() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget what was frozen: %w", err)
		}
		return nil
	}
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".next", append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep what is frozen: %w", err)
	}
	return os.Rename(path+".next", path)
}

// KeptFrozen is what the next supervisor with this state folder will begin with as frozen, for those who look without being
// it. Errors: a file that cannot be read, which keeps a supervisor from starting, too.
func KeptFrozen(stateDir string) (governance.Frozen, error) { return keptFrozen(stateDir) }

// keptFrozen reads the switch. A file that cannot be read is an error: to start as if nothing were frozen would thaw.
func keptFrozen(dir string) (governance.Frozen, error) {
	path := filepath.Join(dir, frozenFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return governance.Frozen{}, nil
	}
	var f governance.Frozen
	if err == nil {
		err = decodeFrozen(raw, &f)
	}
	if err != nil {
		return f, fmt.Errorf("read what is frozen: %s: %w; repair the file, or remove it to thaw everything", path, err)
	}
	return f, nil
}

// decodeFrozen takes exactly what keepFrozen writes: a word that is not known here may freeze something.
func decodeFrozen(raw []byte, f *governance.Frozen) error {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return errors.New("it is not a JSON object")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(f); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}
