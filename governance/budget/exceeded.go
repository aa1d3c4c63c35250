package budget

import "fmt"

// ExceededError says that a budget does not cover what was asked for. It is a sentence for the caller.
type ExceededError struct {
	// Budget is the limit's name: max_steps_per_agent, max_steps_per_run or max_cost_per_run_usd.
	Budget string
	// Limit is the limit, in steps or in US dollars with six decimals.
	Limit string
}

func (e *ExceededError) Error() string {
	return fmt.Sprintf("the budget is used up: %s is %s", e.Budget, e.Limit)
}
