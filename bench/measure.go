package main

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// sample is one contender's round.
type sample struct {
	rate          float64 // calls a second
	p50, p99      time.Duration
	bytes, allocs uint64 // a call
}

// measure lets n callers call for a while, after a short warm-up.
func measure(c caller, n int, d time.Duration) (sample, error) {
	if _, _, err := press(c, n, d/5); err != nil {
		return sample{}, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	times, took, err := press(c, n, d)
	if err != nil {
		return sample{}, err
	}
	runtime.ReadMemStats(&after)
	calls := uint64(len(times))
	slices.Sort(times)
	return sample{
		rate: float64(calls) / took.Seconds(), p50: times[calls/2], p99: times[calls*99/100],
		bytes: (after.TotalAlloc - before.TotalAlloc) / calls, allocs: (after.Mallocs - before.Mallocs) / calls,
	}, nil
}

func press(c caller, n int, d time.Duration) ([]time.Duration, time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	group, ctx := errgroup.WithContext(context.Background())
	began := time.Now()
	for range n {
		group.Go(func() error {
			own := make([]time.Duration, 0, 1<<12)
			for time.Since(began) < d {
				start := time.Now()
				if err := c.call(ctx); err != nil {
					return err
				}
				own = append(own, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
			return nil
		})
	}
	err := group.Wait()
	return all, time.Since(began), err
}
