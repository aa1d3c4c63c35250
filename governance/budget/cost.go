package budget

import (
	"fmt"
	"math"
)

// MicroUSD is money in millionths of a US dollar. Negative amounts count as none.
type MicroUSD int64

// String writes US dollars with six decimals.
func (m MicroUSD) String() string {
	sign, amount := "", uint64(m)
	if m < 0 {
		sign, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%06d", sign, amount/1_000_000, amount%1_000_000)
}

// Cost counts the money of one run. The zero value has no limit and counts all the same.
type Cost struct {
	// Max is the limit; what is not positive is no limit. It may be changed at any time.
	Max MicroUSD

	spent, reserved MicroUSD
}

// Reserve sets money aside for something before it is done. The error is an *[ExceededError]; nothing is set aside then.
// When all is spent or set aside, nothing passes, not even what is thought to be free.
//
// What was set aside goes to Settle or Release, once.
func (c *Cost) Reserve(estimate MicroUSD) error {
	estimate = max(estimate, 0)
	if left, limited := c.Left(); limited && (left == 0 || estimate > left) {
		return &ExceededError{"max_cost_per_run_usd", c.Max.String()}
	}
	c.reserved = add(c.reserved, estimate)
	return nil
}

// Settle replaces an estimate that was reserved by what it did cost. That may be more: then the limit is passed by the
// difference, and nothing is reserved any more.
func (c *Cost) Settle(estimate, actual MicroUSD) {
	c.Release(estimate)
	c.spent = add(c.spent, max(actual, 0))
}

// Release gives an estimate back that was reserved for something that was not done.
func (c *Cost) Release(estimate MicroUSD) { c.reserved = max(c.reserved-max(estimate, 0), 0) }

// Spent returns what was settled.
func (c *Cost) Spent() MicroUSD { return c.spent }

// Reserved returns what is set aside.
func (c *Cost) Reserved() MicroUSD { return c.reserved }

// Left returns what may still be reserved, at least 0; limited is false when there is no limit.
func (c *Cost) Left() (left MicroUSD, limited bool) {
	if c.Max <= 0 {
		return 0, false
	}
	return max(c.Max-add(c.spent, c.reserved), 0), true
}

// add adds amounts that are not negative, up to the largest there is.
func add(a, b MicroUSD) MicroUSD {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
