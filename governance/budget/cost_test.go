package budget

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestCost(t *testing.T) {
	c := Cost{Max: 1_500_000}
	for _, step := range []struct {
		name            string
		do              func() error
		want            string
		spent, reserved MicroUSD
	}{
		{"an estimate", func() error { return c.Reserve(1_000_000) }, "", 0, 1_000_000},
		{"more than is left", func() error { return c.Reserve(500_001) }, "the budget is used up: max_cost_per_run_usd is 1.500000", 0, 1_000_000},
		{"all that is left", func() error { return c.Reserve(500_000) }, "", 0, 1_500_000},
		{"nothing is left, not even for nothing", func() error { return c.Reserve(0) }, "the budget is used up: max_cost_per_run_usd is 1.500000", 0, 1_500_000},
		{"it was cheaper", func() error { c.Settle(1_000_000, 200_000); return nil }, "", 200_000, 500_000},
		{"it was not done", func() error { c.Release(500_000); return nil }, "", 200_000, 0},
		{"negative is nothing", func() error { return c.Reserve(-5) }, "", 200_000, 0},
		{"negative is nothing, settled", func() error { c.Settle(-5, -5); return nil }, "", 200_000, 0},
		{"it was dearer", func() error { c.Settle(0, 2_000_000); return nil }, "", 2_200_000, 0},
		{"the limit is passed", func() error { return c.Reserve(1) }, "the budget is used up: max_cost_per_run_usd is 1.500000", 2_200_000, 0},
	} {
		if got := said(step.do()); got != step.want {
			t.Errorf("%s: told %q, want %q", step.name, got, step.want)
		}
		if c.Spent() != step.spent || c.Reserved() != step.reserved {
			t.Errorf("%s: spent %v, reserved %v, want %v, %v", step.name, c.Spent(), c.Reserved(), step.spent, step.reserved)
		}
	}
}

func TestMicroUSDInWords(t *testing.T) {
	for amount, want := range map[MicroUSD]string{
		0: "0.000000", 1: "0.000001", 12_345_678: "12.345678", -1: "-0.000001",
		math.MaxInt64: "9223372036854.775807", math.MinInt64: "-9223372036854.775808",
	} {
		if got := amount.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// However large amounts are: nothing is negative, estimates never pass the limit, and reserving and releasing is
// neutral.
func TestCostKeepsItsLimit(t *testing.T) {
	amount := rapid.Custom(func(t *rapid.T) MicroUSD {
		return MicroUSD(rapid.OneOf(rapid.Int64Range(-3, 20), rapid.Int64(), rapid.Int64Range(math.MaxInt64-3, math.MaxInt64)).Draw(t, "amount"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		c := Cost{Max: amount.Draw(rt, "max")}
		var open []MicroUSD
		for range rapid.IntRange(0, 50).Draw(rt, "n") {
			before, estimate := c, amount.Draw(rt, "estimate")
			if err := c.Reserve(estimate); err != nil {
				if left, limited := c.Left(); c != before || !limited || left > 0 && estimate <= left {
					rt.Fatalf("%v was refused with %v left", estimate, left)
				}
			} else if c.Max > 0 {
				open = append(open, estimate)
				if c.Reserved() > c.Max-c.Spent() && estimate > 0 {
					rt.Fatalf("%v was reserved: %+v", estimate, c)
				}
				undone := c
				if undone.Release(estimate); undone != before {
					rt.Fatalf("reserving and releasing %v made %+v of %+v", estimate, undone, before)
				}
			}
			if len(open) > 0 && rapid.Bool().Draw(rt, "settle") {
				c.Settle(open[0], amount.Draw(rt, "actual"))
				open = open[1:]
			}
			if left, _ := c.Left(); left < 0 || c.Spent() < 0 || c.Reserved() < 0 {
				rt.Fatalf("negative: %+v", c)
			}
		}
		for _, estimate := range open {
			c.Release(estimate)
		}
		if c.Reserved() != 0 && c.Max > 0 {
			rt.Fatalf("all was settled, and %v is still reserved", c.Reserved())
		}
	})
}
