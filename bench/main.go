// Command bench measures what a call costs, as a ratio to the same call on a bare go-sdk session, on the same minimal echo
// server, in the same run and process: absolute times of a shared machine mean nothing.
//
// The contenders are a bare pipe (the floor), the official SDK, mark3labs/mcp-go, package mcp, and a governed call, which
// goes through gate, audit and supervision as well. It also measures the time from SIGKILL to the moment the caller in
// flight hears that its call is lost.
//
// Two more tables are about policies: what a decision by up to a thousand of them costs as a share of a round trip over
// stdio, and what becomes of a governed call. `bench policies` prints these alone.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

var clients = pace{rounds: 5, each: time.Second}

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
	switch only := strings.Join(os.Args[1:], " "); only {
	case "":
		return inTurn(self, compareClients, killed, comparePolicies)
	case "policies":
		return comparePolicies(self)
	default:
		return fmt.Errorf("there is no part `%s`; write nothing for all, or policies", only)
	}
}

func inTurn(self string, parts ...func(self string) error) error {
	for _, part := range parts {
		if err := part(self); err != nil {
			return err
		}
	}
	return nil
}

func compareClients(self string) error {
	fmt.Printf("echo over stdio; %s\n", clients)
	fmt.Print("calls/s as a multiple of go-sdk's (min - max over the rounds), allocations a call in the client's process\n\n")
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, l := range loads {
		if err := compare(table, self, l); err != nil {
			return err
		}
	}
	return table.Flush()
}

func compare(table *tabwriter.Writer, self string, l load) error {
	samples, err := turns(contenders, self, l, clients)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(table, "%d callers, %d B\tcalls/s\tratio\t\tp99\tB/call\tallocs\n", l.callers, l.size)
	for i, c := range contenders {
		row(table, c.name, samples[i], samples[0])
	}
	_, _ = fmt.Fprintln(table, "\t\t\t\t\t\t")
	return nil
}

func row(table *tabwriter.Writer, name string, of, to []sample) {
	low, median, high := ratios(of, to, rate)
	bytes, allocs := memory(of)
	_, _ = fmt.Fprintf(table, "  %s\t%.0f\t%.2fx\t(%.2f - %.2f)\t%s\t%d\t%d\n",
		name, middle(of, rate), median, low, high, p99(of), bytes, allocs)
}
