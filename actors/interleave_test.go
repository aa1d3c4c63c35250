package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// storm throws everything at a supervisor, in an order that only its seed knows.
type storm struct {
	t       *testing.T
	r       *rand.Rand
	s       *Supervisor
	farm    *farm
	log     []string
	callers sync.WaitGroup
	mu      sync.Mutex
	waits   map[string]bool // what has not come back
}

func (x *storm) say(format string, args ...any) {
	x.log = append(x.log, fmt.Sprintf(format, args...))
}

var stormIDs = []string{"a", "b", "c", "d"}

func (x *storm) server() string { return stormIDs[x.r.IntN(len(stormIDs))] }

// path is an actor that may crash.
func (x *storm) path() string {
	id := x.server()
	return []string{"servers", "servers/" + id, "servers/" + id + "/shared", "servers/" + id + "/shared", "servers/" + id + "/shared"}[x.r.IntN(5)]
}

func (x *storm) step() {
	id := x.server()
	nap := time.Duration(x.r.IntN(3000)) * time.Millisecond
	switch x.r.IntN(14) {
	case 0, 1, 2, 3:
		x.say("call %s", id)
		x.background(func() {
			ctx, cancel := context.WithCancel(context.Background())
			if nap < time.Second {
				time.AfterFunc(nap, cancel)
			}
			defer cancel()
			r := x.s.CallTool(ctx, CallRequest{Server: id, Tool: "echo"})
			if r.Outcome == messages.Internal && r.Ran == messages.RanYes {
				x.t.Errorf("%+v", r)
			}
		})
	case 4, 5:
		if live := x.farm.servers[id].session(); live != nil {
			x.say("kill %s", id)
			x.background(func() { live.endWritten(mcpspec.Exit{Code: -1, Signal: "SIGKILL"}, nap < time.Second) })
		}
	case 6:
		x.say("stop %s", id)
		x.background(func() { _, _ = x.s.StopServer(context.Background(), id) })
	case 7:
		x.say("start %s", id)
		x.background(func() { _, _ = x.s.StartServer(context.Background(), id) })
	case 8:
		x.say("restart %s", id)
		x.background(func() { _, _ = x.s.RestartServer(context.Background(), id) })
	case 9:
		at := x.path()
		x.say("%s naps %s", at, nap)
		x.s.env.send(rvChild(x.s.env, at), napOf(nap, false))
	case 10:
		at := x.path()
		x.say("%s naps %s and crashes", at, nap)
		x.s.env.send(rvChild(x.s.env, at), napOf(nap, true))
	case 11:
		x.say("change %s", id)
		x.apply(func(s config.Server) (config.Server, bool) {
			s.Command = []string{fmt.Sprint(x.r.Int())}
			return s, true
		}, id)
	case 12:
		x.say("remove %s", id)
		x.apply(func(s config.Server) (config.Server, bool) { return s, false }, id)
	default:
		x.say("restore")
		x.background(func() { _, _ = x.s.Apply(context.Background(), x.whole()) })
	}
}

func napOf(d time.Duration, boom bool) nap { return nap{D: d, Boom: boom} }

func (x *storm) background(do func()) {
	x.callers.Add(1)
	what := fmt.Sprintf("%d: %s", len(x.log), x.log[len(x.log)-1])
	x.wait(what, true)
	go func() {
		defer x.callers.Done()
		do()
		x.wait(what, false)
	}()
}

func (x *storm) wait(what string, begins bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if begins {
		x.waits[what] = true
	} else {
		delete(x.waits, what)
	}
}

func (x *storm) whole() *config.Workspace {
	ws := farmOf(x.t, "a b c d", stormServer)
	ws.Root = x.s.env.ws().Root
	ws.Groups = []supervision.Group{{Name: "g", Strategy: supervision.RestForOne, Members: []string{"b", "c"}, MaxRestarts: 50, Within: time.Minute}}
	return ws
}

func stormServer(s *config.Server) {
	s.Restart.Backoff.First, s.Restart.MaxRestarts = 500*time.Millisecond, 50
	s.Retry, s.IdleStop, s.MaxInFlight = config.RetryReadOnly, 20*time.Second, 2
	if s.ID == "d" {
		s.DependsOn, s.Restart.Mode = []string{"a"}, supervision.Transient
	}
}

// apply changes one server of the workspace in force.
func (x *storm) apply(change func(config.Server) (config.Server, bool), id string) {
	ws := *x.s.env.ws()
	var list []config.Server
	kept := map[string]bool{}
	for _, s := range ws.Servers {
		keep := true
		if s.ID == id {
			s, keep = change(s)
		}
		if keep {
			list = append(list, s)
			kept[s.ID] = true
		}
	}
	ws.Servers = list
	if !kept["b"] || !kept["c"] {
		ws.Groups = nil
	}
	x.background(func() { _, _ = x.s.Apply(context.Background(), &ws) })
}

// TestAStormEnds checks what holds whatever happens in which order: two incarnations of a server never live at once,
// nobody waits for ever, each server comes to serve again when it is asked to, and the audit has one outcome of each call.
func TestAStormEnds(t *testing.T) {
	seeds := 100
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { weather(t, uint64(seed)) })
		})
	}
}

func weather(t *testing.T, seed uint64) {
	x := &storm{t: t, r: rand.New(rand.NewPCG(seed, 1)), farm: newFarm("a b c d"), waits: map[string]bool{}}
	lone := map[string]*loner{}
	for _, id := range stormIDs {
		f := x.farm.servers[id]
		f.cleanup = func() { time.Sleep(300 * time.Millisecond) }
		f.start = func(ctx context.Context, _ int) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(200 * time.Millisecond):
				return nil
			}
		}
		f.answer = func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			time.AfterFunc(400*time.Millisecond, func() { done(echo(r)) })
		}
		lone[id] = &loner{t: t, fake: f}
	}
	ws := farmOf(t, "a b c d", stormServer)
	s, err := Start(context.Background(), ws, hook(hooked{}), WithDialer(func(ctx context.Context, spec mcpspec.Server, h Hooks) (Session, error) {
		return lone[spec.ID].dial(ctx, spec, h)
	}))
	if err != nil {
		t.Fatal(err)
	}
	x.s = s
	for range 60 {
		x.step()
		if x.r.IntN(2) == 0 {
			time.Sleep(time.Duration(x.r.IntN(700)) * time.Millisecond)
		}
	}
	fine := ends(t, "a caller", 10*time.Minute, x.callers.Wait)
	if !fine {
		x.mu.Lock()
		t.Log("still waiting:", x.waits, states(t, s))
		x.mu.Unlock()
	}
	if seed%3 > 0 && fine {
		fine = x.calm()
	}
	fine = ends(t, "Stop", time.Hour, func() { _ = s.Stop(context.Background()) }) && fine
	if !fine {
		_ = s.env.root.StopFuture(s.pid).Wait()
	}
	stop(t, s)
	if t.Failed() {
		t.Log(x.log)
	}
}

// calm lets everything settle, and then expects every server to serve.
func (x *storm) calm() bool {
	time.Sleep(time.Minute) // what naps may crash yet
	if _, err := x.s.Apply(context.Background(), x.whole()); err != nil {
		x.t.Error(err)
	}
	time.Sleep(2 * time.Minute)
	for _, id := range stormIDs {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		_, err := x.s.StartServer(ctx, id)
		cancel()
		r := x.s.CallTool(context.Background(), CallRequest{Server: id, Tool: "echo"})
		if err != nil || r.Outcome != messages.OK {
			x.t.Errorf("%s: %v, %+v; %s", id, err, r.Error, states(x.t, x.s))
			return false
		}
	}
	return true
}
