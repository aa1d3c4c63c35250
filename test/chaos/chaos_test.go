package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

var (
	seed      = flag.Uint64("chaos.seed", 0, "seed of the run; 0 draws one")
	duration  = flag.Duration("chaos.duration", 4*time.Second, "how long servers are killed")
	agents    = flag.Int("chaos.agents", 60, "how many agents call at the same time")
	servers   = flag.Int("chaos.servers", 5, "how many servers they call")
	killEvery = flag.Duration("chaos.kill-every", 100*time.Millisecond, "time between two kills")
)

// budget is the raised restart budget: the kills are ours, so they must not use a real one up. The back-off is short
// for the same reason.
const budget = 100_000

// TestChaos kills servers with SIGKILL while agents call them. Whatever happens, each call has exactly one outcome, the
// audit is complete, every server comes back, and nothing is left.
func TestChaos(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("seed %d (repeat with -chaos.seed=%d), restart budget %d a minute", *seed, *seed, budget)

	root := workspace(t, *servers, *agents)
	ws, err := config.Load(root, config.Options{Supervisor: supervisorBinary})
	if err != nil {
		t.Fatal(err)
	}
	s, err := actors.Start(context.Background(), ws, actors.WithRestartBudget(budget, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	load := newLoad(s, *servers)
	killer := newKiller(s, *seed)
	watch := watchRecovery(s)

	ctx, stop := context.WithTimeout(context.Background(), *duration)
	defer stop()
	load.start(ctx, *agents, *seed)
	killer.run(t, ctx, *killEvery)
	load.wait()
	killer.awaitAllUp(t, 30*time.Second)
	recovery := watch.stop()
	if err := s.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}

	report(t, load, killer, recovery)
	checkCalls(t, load)
	checkAudit(t, filepath.Join(root, ".supervisor", "audit"), load)
	killer.checkNothingLeft(t)
}

func report(t *testing.T, l *load, k *killer, r recovery) {
	t.Logf("%d calls, %d kills", l.total(), k.kills)
	for _, o := range messages.Outcomes {
		if n := l.outcomes[o]; n > 0 {
			t.Logf("  %-12s %d", o, n)
		}
	}
	t.Logf("of %d calls that honoured the retry hint, %d ended ok", l.hinted, l.hintedOK)
	t.Logf("recovery, kill to up: median %s, slowest %s", r.median(), r.slowest())
}

func checkCalls(t *testing.T, l *load) {
	t.Helper()
	if l.total() == 0 || l.outcomes[messages.OK] == 0 {
		t.Fatal("no call went well: the run proves nothing")
	}
	for o, n := range l.outcomes {
		switch o {
		case messages.OK, messages.Lost, messages.Unavailable, messages.Overloaded, messages.Timeout:
		default:
			t.Errorf("%d calls ended as %s", n, o)
		}
	}
	if l.doubled > 0 {
		t.Errorf("%d calls got an answer that is not theirs", l.doubled)
	}
	if l.hinted > 20 && float64(l.hintedOK) < 0.9*float64(l.hinted) {
		t.Errorf("%d of %d calls that honoured the retry hint ended ok, want at least 90 %%", l.hintedOK, l.hinted)
	}
}

func checkAudit(t *testing.T, dir string, l *load) {
	t.Helper()
	r, err := audit.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Errorf("audit: %s", p)
	}
	if len(r.Unfinished) > 0 {
		t.Errorf("audit: %d calls without an outcome", len(r.Unfinished))
	}
	intents, outcomes := count(t, dir)
	if intents != l.total() || outcomes != l.total() {
		t.Errorf("audit: %d intents and %d outcomes of %d calls", intents, outcomes, l.total())
	}
}

// workspace writes a workspace with echo servers and one topology of many agents, each granted all servers.
func workspace(t *testing.T, servers, agents int) string {
	t.Helper()
	root := t.TempDir()
	yaml := "apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: chaos, name: chaos}\nmcp_servers:\n"
	grants := ""
	for n := range servers {
		yaml += fmt.Sprintf("  - {id: echo-%d, command: ['${SUPERVISOR}', demo-server, echo], restart: {backoff: {min: 10ms, max: 100ms}}}\n", n)
		grants += fmt.Sprintf("'server:echo-%d', ", n)
	}
	write(t, filepath.Join(root, "workspace.yaml"), yaml)
	tree := "apiVersion: supervisor/v1\nkind: Topology\nmetadata: {name: swarm, version: 1.0.0}\nagents:\n  root:\n    id: agent-0\n    role: root\n"
	tree += "    skills: [" + grants + "]\n    children:\n"
	for n := 1; n < agents; n++ {
		tree += fmt.Sprintf("      - {id: agent-%d, role: worker, skills: [%s]}\n", n, grants)
	}
	write(t, filepath.Join(root, "topologies", "swarm.yaml"), tree)
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
