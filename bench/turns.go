package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// pace is how often contenders take turns, and how long a turn is.
type pace struct {
	rounds int // odd, so that the median is one of them
	each   time.Duration
	// rest follows each turn, so that what a turn leaves for later does not fall into the next one's.
	rest time.Duration
}

func (p pace) String() string {
	return fmt.Sprintf("median of %d rounds of %s each, in turns; %s, %d CPUs, GOGC %s",
		p.rounds, p.each, runtime.Version(), runtime.NumCPU(), gogc())
}

func gogc() string {
	if v := os.Getenv("GOGC"); v != "" {
		return v
	}
	return "100"
}

// turns opens all contenders and lets each call once a round. It returns their samples in the contenders' order.
func turns(list []contender, self string, l load, p pace) ([][]sample, error) {
	callers := make([]caller, len(list))
	for i, c := range list {
		opened, err := c.open(self, l.size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		defer opened.close()
		callers[i] = opened
	}
	samples := make([][]sample, len(list))
	for range p.rounds {
		for i, c := range callers {
			s, err := measure(c, l.callers, p.each)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list[i].name, err)
			}
			samples[i] = append(samples[i], s)
			time.Sleep(p.rest)
		}
	}
	return samples, nil
}

// ratios are taken round by round, so that the machine's drift cancels out.
func ratios(of, to []sample, value func(sample) float64) (low, median, high float64) {
	list := make([]float64, len(of))
	for i := range of {
		list[i] = value(of[i]) / value(to[i])
	}
	slices.Sort(list)
	return list[0], list[len(list)/2], list[len(list)-1]
}

func rate(s sample) float64 { return s.rate }
func half(s sample) float64 { return float64(s.p50) }

// middle is the median over the rounds.
func middle[T cmp.Ordered](samples []sample, value func(sample) T) T {
	var list []T
	for _, s := range samples {
		list = append(list, value(s))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func p50(s []sample) time.Duration {
	return middle(s, func(s sample) time.Duration { return s.p50 }).Round(100 * time.Nanosecond)
}

func p99(s []sample) time.Duration {
	return middle(s, func(s sample) time.Duration { return s.p99 }).Round(time.Microsecond)
}

// memory is what a call takes of the heap in this process: bytes and allocations.
func memory(s []sample) (bytes, allocs uint64) {
	return middle(s, func(s sample) uint64 { return s.bytes }), middle(s, func(s sample) uint64 { return s.allocs })
}
