package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/chaos"
	"github.com/mcp-supervisor/supervisor/config"
)

var (
	seed      = flag.Uint64("chaos.seed", 0, "seed of the only run; 0 is a run with a fixed seed, and one with a drawn seed")
	duration  = flag.Duration("chaos.duration", 4*time.Second, "how long servers are struck")
	agents    = flag.Int("chaos.agents", 60, "how many agents call at the same time")
	servers   = flag.Int("chaos.servers", 5, "how many servers they call, besides the ledger")
	killEvery = flag.Duration("chaos.kill-every", 100*time.Millisecond, "time between two strikes, on average")
	faults    = flag.String("chaos.faults", "kill,wrapper,stop,pipe,slow", "what is done to the servers; hang too takes some seconds more")
)

// fixed is a seed like any other. A run with it every time tells a change of ours from bad luck.
const fixed = 20_260_101

// TestChaos hurts servers while agents call them. Whatever happens, each call has exactly one outcome and is carried out at
// most once, the audit is complete, every server comes back, and nothing is left.
func TestChaos(t *testing.T) {
	seeds := []uint64{fixed, rand.Uint64N(1_000_000)}
	if *seed != 0 {
		seeds = []uint64{*seed}
	}
	for _, s := range seeds {
		t.Run(fmt.Sprintf("seed %d", s), func(t *testing.T) { run(t, s) })
	}
}

func run(t *testing.T, seed uint64) {
	t.Helper()
	kinds, err := chaos.ParseKinds(*faults)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := config.Load(workspace(t, *servers), config.Options{Supervisor: supervisorBinary})
	if err != nil {
		t.Fatal(err)
	}
	report, err := chaos.Run(context.Background(), ws, chaos.Options{
		Duration: *duration, Agents: *agents, KillEvery: *killEvery, Kinds: kinds, Seed: seed, Supervisor: supervisorBinary,
	})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := report.Print(&table, nil); err != nil {
		t.Fatal(err)
	}
	t.Logf("repeat with -chaos.seed=%d\n%s", seed, table.String())
	for _, i := range report.Broken() {
		t.Errorf("%s: %s", i.Name, i.Seen)
	}
	for _, s := range report.Servers {
		if s.NotCalled != "" {
			t.Errorf("server %s is not called: %s", s.ID, s.NotCalled)
		}
	}
}
