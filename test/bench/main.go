// Command bench measures what a governed call costs, as a ratio to the same call on a bare go-sdk session, on the same
// echo server, in the same run: absolute times of a shared machine mean nothing.
//
// It also measures the time from SIGKILL to the moment the caller in flight hears that its call is lost.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// rounds is odd, so that the median is one of them. The contenders take turns within a round.
const (
	rounds   = 5
	perRound = time.Second
)

var callers = []int{1, 16, 256}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary, err := build(dir)
	if err != nil {
		return err
	}
	governed, err := newGoverned(dir, binary)
	if err != nil {
		return err
	}
	defer governed.close()
	bare, err := newBare(binary)
	if err != nil {
		return err
	}
	defer bare.close()
	fmt.Printf("echo over stdio; %d rounds of %s each, in turns; %s, %d CPUs\n\n", rounds, perRound, runtime.Version(), runtime.NumCPU())
	if err := compare(governed, bare); err != nil {
		return err
	}
	return killed(filepath.Join(dir, "kill"), binary)
}

// caller is one way to call echo.
type caller interface {
	call(ctx context.Context) error
}

func compare(governed, bare caller) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "callers\tbare go-sdk calls/s\tgoverned calls/s\tgoverned / bare\t(min - max)\tp99 bare\tp99 governed\t")
	for _, n := range callers {
		var ratios []float64
		var a, b []sample
		for range rounds {
			bareRound, err := measure(bare, n)
			if err != nil {
				return fmt.Errorf("bare: %w", err)
			}
			governedRound, err := measure(governed, n)
			if err != nil {
				return fmt.Errorf("governed: %w", err)
			}
			a, b = append(a, bareRound), append(b, governedRound)
			ratios = append(ratios, governedRound.rate/bareRound.rate)
		}
		slices.Sort(ratios)
		_, _ = fmt.Fprintf(table, "%d\t%.0f\t%.0f\t%.2fx\t(%.2f - %.2f)\t%s\t%s\t\n",
			n, rate(a), rate(b), ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1], p99(a), p99(b))
	}
	return table.Flush()
}

func rate(s []sample) float64 {
	slices.SortFunc(s, func(x, y sample) int { return int(x.rate - y.rate) })
	return s[len(s)/2].rate
}

func p99(s []sample) time.Duration {
	slices.SortFunc(s, func(x, y sample) int { return int(x.p99 - y.p99) })
	return s[len(s)/2].p99.Round(time.Microsecond)
}
