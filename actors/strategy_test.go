package actors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

func group(s supervision.Strategy, members ...string) supervision.Group {
	return supervision.Group{Name: "g", Strategy: s, Members: members, MaxRestarts: 5, Within: time.Minute}
}

func TestStrategies(t *testing.T) {
	tests := []struct {
		strategy supervision.Strategy
		dies     string
		want     string
	}{
		{supervision.OneForOne, "b", "-b +b"},
		{supervision.OneForAll, "b", "-b -c -a +a +b +c"},
		{supervision.RestForOne, "b", "-b -c +b +c"},
		{supervision.RestForOne, "a", "-a -c -b +a +b +c"},
		{supervision.RestForOne, "c", "-c +c"},
	}
	for _, tt := range tests {
		t.Run(string(tt.strategy)+" "+tt.dies, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, f := startFarm(t, "a b c bystander", nil, group(tt.strategy, "a", "b", "c"))
				s.Warm()
				synctest.Wait()
				f.take()
				f.servers[tt.dies].die()
				synctest.Wait()
				if got := f.take(); got != tt.want {
					t.Errorf("%s, want %s", got, tt.want)
				}
				for _, id := range []string{"a", "b", "c"} {
					if n, charged := statusOf(t, s, id).Window, id == tt.dies; (n == 1) != charged {
						t.Errorf("%s has %d restarts in its window", id, n)
					}
				}
			})
		})
	}
}

func TestAMemberThatIsRestartedForAnotherDrainsAndNamesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b", nil, group(supervision.OneForAll, "a", "b"))
		s.Warm()
		synctest.Wait()
		f.servers["b"].answer = never
		running, began := make(chan messages.CallResult, 1), time.Now()
		go func() { running <- callOn(s, "", "b", "x") }()
		synctest.Wait()
		f.servers["a"].die()
		r := <-running
		want1(t, r, messages.Lost, messages.RanMaybe)
		if took := time.Since(began); took != 5*time.Second { // its stop_grace
			t.Errorf("it drained for %s", took)
		}
		if !strings.Contains(r.Error.Message, "`a` of its group failed") {
			t.Errorf("%q does not name the member that failed", r.Error.Message)
		}
	})
}

func TestACallWaitsWhileItsServerIsRestartedForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b", nil, group(supervision.OneForAll, "a", "b"))
		s.Warm()
		synctest.Wait()
		f.servers["a"].setStart(func(context.Context, int) error { time.Sleep(time.Second); return nil })
		f.servers["a"].die()
		synctest.Wait()
		want1(t, callOn(s, "", "b", "x"), messages.OK, messages.RanYes)
	})
}

func TestAFailedMemberTakesItsScopeAlongAndBringsItBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b c", func(s *config.Server) { s.Restart.MaxRestarts = 0 }, group(supervision.RestForOne, "a", "b", "c"))
		s.Warm()
		synctest.Wait()
		f.servers["b"].die()
		synctest.Wait()
		if got := states(t, s); got != "a up, b failed, c failed" {
			t.Fatal(got)
		}
		r := callOn(s, "", "c", "x")
		want1(t, r, messages.Unavailable, messages.RanNo)
		if !strings.Contains(r.Error.Message, "`b` of its group failed") {
			t.Errorf("%q", r.Error.Message)
		}
		time.Sleep(5*time.Minute + time.Second) // the cooldown
		if got := states(t, s); got != "a up, b up, c up" {
			t.Error(got)
		}
	})
}

func TestDependsOnOrdersStartAndStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *farm
		before := map[string][]string{"a": {"b"}, "b": {"c"}}
		s, f := startFarm(t, "a b c", func(s *config.Server) { s.DependsOn = before[s.ID] })
		f.servers["c"].setStart(func(context.Context, int) error { time.Sleep(3 * time.Second); return nil })
		want1(t, callOn(s, "", "a", "x"), messages.OK, messages.RanYes)
		if got := f.take(); got != "+c +b +a" {
			t.Errorf("start: %s", got)
		}
		f.servers["c"].die() // orders start and stop only
		synctest.Wait()
		time.Sleep(5 * time.Second)
		if got := f.take(); got != "-c +c" {
			t.Errorf("restart: %s", got)
		}
		stop(t, s)
		if got := f.take(); got != "-a -b -c" {
			t.Errorf("stop: %s", got)
		}
	})
}

func TestAServerSaysWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b", func(s *config.Server) {
			if s.ID == "a" {
				s.DependsOn = []string{"b"}
			}
		})
		f.servers["b"].setStart(func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() })
		s.Warm()
		synctest.Wait()
		if got := statusOf(t, s, "a"); got.State != messages.StateStarting || got.Detail != "waits for `b`" {
			t.Errorf("%s, %s", got.State, got.Detail)
		}
	})
}

func TestNotAllServersStartAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b c d e", nil)
		more := *s.env.ws()
		more.MaxStarts = 2
		if _, err := s.Apply(context.Background(), &more); err != nil {
			t.Fatal(err)
		}
		for _, one := range f.servers {
			one.setStart(func(context.Context, int) error { time.Sleep(time.Second); return nil })
		}
		s.Warm()
		synctest.Wait()
		if got := f.take(); got != "+a +b" && got != "+b +a" {
			t.Errorf("at once: %s", got)
		}
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if got := len(strings.Fields(f.take())); got != 2 {
			t.Errorf("%d more a second later", got)
		}
		for _, one := range f.servers {
			one.setStart(func(context.Context, int) error { time.Sleep(time.Hour); return errors.New("slow") })
		}
	})
}
