package chaos

import (
	"math/rand/v2"
	"time"
)

// strike is one decision of the injector's. It depends on the seed and on the strikes before it, and on nothing else.
type strike struct {
	after time.Duration // the pause before it
	kind  Kind
	// victim is a position, from 0 to below 1, among the servers that can be struck when the time has come.
	victim float64
	length time.Duration // of a stop, or the delay of a slow one
	stdout bool          // which side of the pipes is closed
}

// The bounds of a stop, and of the delay of slow answers.
const (
	shortest = 50 * time.Millisecond
	longest  = 500 * time.Millisecond
)

// dice is the endless sequence of strikes of one seed.
type dice struct {
	random *rand.Rand
	kinds  []Kind
	every  time.Duration
}

func newDice(seed uint64, kinds []Kind, every time.Duration) *dice {
	return &dice{random: rand.New(rand.NewPCG(seed, seed)), kinds: kinds, every: every}
}

// next draws the same number of times whatever comes out. Pauses are 0.5 to 1.5 times the average: a strict beat could
// keep step with whatever has a beat of its own.
func (d *dice) next() strike {
	return strike{
		after:  time.Duration((0.5 + d.random.Float64()) * float64(d.every)),
		kind:   d.kinds[d.random.IntN(len(d.kinds))],
		victim: d.random.Float64(),
		length: shortest + time.Duration(d.random.Float64()*float64(longest-shortest)),
		stdout: d.random.IntN(2) == 1,
	}
}

// pick is the victim's position among n.
func (s strike) pick(n int) int { return int(s.victim * float64(n)) }
