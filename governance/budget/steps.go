package budget

import "strconv"

// Steps counts the steps of one run and of each of its agents. The zero value has no limits and counts all the same.
type Steps struct {
	// MaxPerAgent and MaxPerRun are the limits; what is not positive is no limit. They may be changed at any time.
	MaxPerAgent, MaxPerRun int

	run    int
	agents map[string]int // those with a step
}

// Reserve counts a step of an agent before it is done. The error is an *[ExceededError]; nothing is counted then.
func (s *Steps) Reserve(agent string) error {
	switch {
	case s.MaxPerAgent > 0 && s.agents[agent] >= s.MaxPerAgent:
		return &ExceededError{"max_steps_per_agent", strconv.Itoa(s.MaxPerAgent)}
	case s.MaxPerRun > 0 && s.run >= s.MaxPerRun:
		return &ExceededError{"max_steps_per_run", strconv.Itoa(s.MaxPerRun)}
	}
	if s.agents == nil {
		s.agents = map[string]int{}
	}
	s.agents[agent]++
	s.run++
	return nil
}

// Release gives a step back that was reserved and not done. It does nothing for an agent that has none.
func (s *Steps) Release(agent string) {
	switch s.agents[agent] {
	case 0:
		return
	case 1:
		delete(s.agents, agent)
	default:
		s.agents[agent]--
	}
	s.run--
}

// Run returns the steps of the run.
func (s *Steps) Run() int { return s.run }

// Agent returns the steps of one agent.
func (s *Steps) Agent(agent string) int { return s.agents[agent] }
