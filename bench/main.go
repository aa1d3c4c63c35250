// Command bench measures what a call costs, as a ratio to the same call on a bare go-sdk session, on the same minimal echo
// server, in the same run and process: absolute times of a shared machine mean nothing.
//
// The contenders are a bare pipe (the floor), the official SDK, mark3labs/mcp-go, package mcp, and a governed call, which
// goes through gate, audit and supervision as well. It also measures the time from SIGKILL to the moment the caller in
// flight hears that its call is lost.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

const (
	rounds   = 5 // odd, so that the median is one of them; the contenders take turns within a round
	perRound = time.Second
)

// contender is one way to call echo. The first is the one that the others are measured against.
type contender struct {
	name string
	open func(self string, size int) (caller, error)
}

var contenders = []contender{
	{"go-sdk", newGoSDK}, {"pipe", newPipe}, {"mcp-go", newMCPGo}, {"mcp", newOurs}, {"governed", newGoverned},
}

// load is how many callers call at the same time, and how large the answers are.
type load struct{ callers, size int }

var loads = []load{{1, 2}, {16, 2}, {64, 2}, {256, 2}, {16, 64 << 10}}

type caller interface {
	call(ctx context.Context) error
	close()
}

func main() {
	if serving() {
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("echo over stdio; median of %d rounds of %s each, in turns; %s, %d CPUs, GOGC %s\n",
		rounds, perRound, runtime.Version(), runtime.NumCPU(), gogc())
	fmt.Print("calls/s as a multiple of go-sdk's (min - max over the rounds), allocations a call in the client's process\n\n")
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, l := range loads {
		if err := compare(table, self, l); err != nil {
			return err
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return killed(self)
}

func gogc() string {
	if v := os.Getenv("GOGC"); v != "" {
		return v
	}
	return "100"
}

func compare(table *tabwriter.Writer, self string, l load) error {
	callers := make([]caller, len(contenders))
	for i, c := range contenders {
		opened, err := c.open(self, l.size)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		defer opened.close()
		callers[i] = opened
	}
	samples := make([][]sample, len(contenders))
	for range rounds {
		for i, c := range callers {
			s, err := measure(c, l.callers)
			if err != nil {
				return fmt.Errorf("%s: %w", contenders[i].name, err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	_, _ = fmt.Fprintf(table, "%d callers, %d B\tcalls/s\tratio\t\tp99\tB/call\tallocs\n", l.callers, l.size)
	for i, c := range contenders {
		low, median, high := ratios(samples[i], samples[0])
		_, _ = fmt.Fprintf(table, "  %s\t%.0f\t%.2fx\t(%.2f - %.2f)\t%s\t%d\t%d\n", c.name, rate(samples[i]), median, low, high,
			p99(samples[i]), samples[i][0].bytes, samples[i][0].allocs)
	}
	_, _ = fmt.Fprintln(table, "\t\t\t\t\t\t")
	return nil
}

// ratios are taken round by round, so that the machine's drift cancels out.
func ratios(of, to []sample) (low, median, high float64) {
	list := make([]float64, len(of))
	for i := range of {
		list[i] = of[i].rate / to[i].rate
	}
	slices.Sort(list)
	return list[0], list[len(list)/2], list[len(list)-1]
}

func rate(s []sample) float64 {
	s = slices.SortedFunc(slices.Values(s), func(x, y sample) int { return int(x.rate - y.rate) })
	return s[len(s)/2].rate
}

func p99(s []sample) time.Duration {
	s = slices.SortedFunc(slices.Values(s), func(x, y sample) int { return int(x.p99 - y.p99) })
	return s[len(s)/2].p99.Round(time.Microsecond)
}
