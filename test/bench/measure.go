package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// sample is one contender's round.
type sample struct {
	rate float64 // calls a second
	p99  time.Duration
}

// measure lets n callers call for one round, after a short warm-up.
func measure(c caller, n int) (sample, error) {
	if _, _, err := load(c, n, perRound/5); err != nil {
		return sample{}, err
	}
	times, took, err := load(c, n, perRound)
	if err != nil {
		return sample{}, err
	}
	slices.Sort(times)
	return sample{rate: float64(len(times)) / took.Seconds(), p99: times[len(times)*99/100]}, nil
}

func load(c caller, n int, d time.Duration) ([]time.Duration, time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	group, ctx := errgroup.WithContext(context.Background())
	began := time.Now()
	for range n {
		group.Go(func() error {
			var own []time.Duration
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

// build builds the supervisor, which serves the echo server for all contenders.
func build(dir string) (string, error) {
	binary := filepath.Join(dir, "supervisor")
	return binary, exec.Command("go", "build", "-o", binary, "./cmd/supervisor").Run()
}
