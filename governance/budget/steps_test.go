package budget

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		name   string
		steps  Steps
		agents []string
		want   string // what the last step is told; the others pass
	}{
		{"no limits", Steps{}, []string{"a", "a", "a", "a"}, ""},
		{"within both", Steps{MaxPerAgent: 2, MaxPerRun: 3}, []string{"a", "a", "b"}, ""},
		{"an agent", Steps{MaxPerAgent: 2}, []string{"a", "b", "a", "a"}, "the budget is used up: max_steps_per_agent is 2"},
		{"the run", Steps{MaxPerRun: 3}, []string{"a", "b", "c", "d"}, "the budget is used up: max_steps_per_run is 3"},
		{"negative is none", Steps{MaxPerAgent: -1, MaxPerRun: -1}, []string{"a", "a"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := len(tt.agents) - 1
			for _, agent := range tt.agents[:last] {
				if err := tt.steps.Reserve(agent); err != nil {
					t.Fatal(err)
				}
			}
			err := tt.steps.Reserve(tt.agents[last])
			if said(err) != tt.want {
				t.Errorf("told %q, want %q", said(err), tt.want)
			}
			if err != nil && tt.steps.Run() != last {
				t.Errorf("what was refused was counted: %d", tt.steps.Run())
			}
		})
	}
}

// The run's steps are the sum of its agents', no limit is passed, nothing is negative, and what is given back can be
// reserved again.
func TestStepsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := Steps{MaxPerAgent: rapid.IntRange(0, 4).Draw(rt, "per agent"), MaxPerRun: rapid.IntRange(0, 6).Draw(rt, "per run")}
		agents := []string{"a", "b", "c"}
		for range rapid.IntRange(0, 50).Draw(rt, "n") {
			agent := rapid.SampledFrom(agents).Draw(rt, "agent")
			run, own := s.Run(), s.Agent(agent)
			if rapid.Bool().Draw(rt, "release") {
				s.Release(agent)
				if s.Agent(agent) != max(own-1, 0) {
					rt.Fatalf("released %d to %d", own, s.Agent(agent))
				}
			} else if err := s.Reserve(agent); err == nil && rapid.Bool().Draw(rt, "not done") {
				if s.Release(agent); s.Run() != run || s.Agent(agent) != own {
					rt.Fatalf("reserving and releasing made %d/%d of %d/%d", s.Agent(agent), s.Run(), own, run)
				}
			} else if over := s.MaxPerAgent > 0 && own >= s.MaxPerAgent || s.MaxPerRun > 0 && run >= s.MaxPerRun; over != (err != nil) {
				rt.Fatalf("%d/%d of %d/%d: %v", own, run, s.MaxPerAgent, s.MaxPerRun, err)
			}
			sum := 0
			for _, a := range agents {
				sum += s.Agent(a)
			}
			if sum != s.Run() || len(s.agents) > sum {
				rt.Fatalf("agents have %d, the run %d: %v", sum, s.Run(), s.agents)
			}
		}
	})
}

// said is what an ExceededError tells; "" for none.
func said(err error) string {
	var exceeded *ExceededError
	if errors.As(err, &exceeded) {
		return exceeded.Error()
	}
	if err != nil {
		return "another error: " + err.Error()
	}
	return ""
}
