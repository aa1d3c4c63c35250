package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// supervisorBinary serves the demo servers. It is built without the race detector: the servers are not under test, and
// a kill a tenth of a second needs servers that start fast.
var supervisorBinary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		panic(err)
	}
	supervisorBinary = filepath.Join(dir, "supervisor")
	build := exec.Command("go", "build", "-o", supervisorBinary, "../../cmd/supervisor")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the supervisor: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// killer kills process groups that the supervisor started, and no others.
type killer struct {
	s      *actors.Supervisor
	random *rand.Rand
	kills  int
	seen   map[int]bool // every process group's leader
}

func newKiller(s *actors.Supervisor, seed uint64) *killer {
	return &killer{s: s, random: rand.New(rand.NewPCG(seed, seed)), seen: map[int]bool{}}
}

// run kills a server every so often until ctx ends.
func (k *killer) run(t *testing.T, ctx context.Context, every time.Duration) {
	t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.strike(t)
		}
	}
}

func (k *killer) strike(t *testing.T) {
	up := k.up(t)
	if len(up) == 0 {
		return
	}
	victim := up[k.random.IntN(len(up))]
	if err := syscall.Kill(victim.PID, syscall.SIGKILL); err == nil {
		k.kills++
	} else if !errors.Is(err, syscall.ESRCH) {
		t.Errorf("kill %d: %v", victim.PID, err)
	}
}

// up are the servers that are up, and notes their process groups.
func (k *killer) up(t *testing.T) []messages.ServerStatus {
	t.Helper()
	all, err := k.s.Servers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var up []messages.ServerStatus
	for _, s := range all {
		if s.PID > 0 {
			k.seen[s.PID] = true
		}
		if s.State == messages.StateUp {
			up = append(up, s)
		}
	}
	return up
}

// awaitAllUp polls until every server is up.
func (k *killer) awaitAllUp(t *testing.T, limit time.Duration) {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if len(k.up(t)) == *servers {
			return
		}
	}
	all, _ := k.s.Servers(context.Background())
	t.Fatalf("not every server came up again: %+v", all)
}

func (k *killer) checkNothingLeft(t *testing.T) {
	t.Helper()
	for pid := range k.seen {
		if err := syscall.Kill(-pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process group %d is still there (%v)", pid, err)
		}
	}
}

// recovery is how long each server was down, from its end to the next time it was up.
type recovery []time.Duration

func (r recovery) median() time.Duration {
	if len(r) == 0 {
		return 0
	}
	return r[len(r)/2]
}

func (r recovery) slowest() time.Duration {
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1]
}

type recoveryWatch struct {
	events *actors.Subscription
	result chan recovery
}

func watchRecovery(s *actors.Supervisor) recoveryWatch {
	w := recoveryWatch{events: s.Subscribe(1 << 16), result: make(chan recovery, 1)}
	safe.Go("recovery", nil, func() {
		down := map[string]time.Time{}
		var times recovery
		for e := range w.events.C {
			switch e.Kind {
			case messages.ServerExited:
				down[e.Server] = e.Time
			case messages.ServerUp:
				if since, ok := down[e.Server]; ok {
					times = append(times, e.Time.Sub(since))
					delete(down, e.Server)
				}
			}
		}
		slices.Sort(times)
		w.result <- times
	})
	return w
}

func (w recoveryWatch) stop() recovery {
	w.events.Close()
	return <-w.result
}

// count counts the intents and outcomes in the audit's files, without the code that wrote them.
func count(t *testing.T, dir string) (intents, outcomes int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r struct {
				EventType audit.EventType  `json:"event_type"`
				CallID    string           `json:"call_id"`
				Outcome   messages.Outcome `json:"outcome"`
			}
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			switch {
			case r.EventType == audit.ToolIntent:
				intents++
			case r.CallID != "" && r.Outcome != "":
				outcomes++
			}
		}
		_ = f.Close()
	}
	return intents, outcomes
}
