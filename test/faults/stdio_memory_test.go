//go:build linux && !race

package faults

import (
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// peak runs do and returns by how much this process's memory was larger meanwhile than before, at most.
func peak(t *testing.T, do func()) int64 {
	t.Helper()
	debug.FreeOSMemory() // what other tests left behind
	before := rss(t)
	highest, done := make(chan int64), make(chan struct{})
	safe.Go("test peak", nil, func() {
		most := rss(t)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, rss(t))
			case <-done:
				highest <- most
				return
			}
		}
	})
	do()
	close(done)
	return <-highest - before
}

// Not parallel: it looks at the memory of the whole process.
func TestMemoryOfALargeResult(t *testing.T) {
	const size = 60 << 20
	r := start(t, fakeEntry("fake", "huge-result", quick, "--size", strconv.Itoa(size)))
	r.tools("fake")
	grown := peak(t, func() {
		if got := r.echo("fake"); got.Outcome != messages.OK || len(got.Result) < size {
			t.Errorf("%s, %d bytes", got.Outcome, len(got.Result))
		}
	})
	t.Logf("memory grew by %d MiB for a result of %d MiB", grown>>20, size>>20)
	if grown > 4*size {
		t.Errorf("memory grew by %d MiB for a result of %d MiB", grown>>20, size>>20)
	}
}

func TestMemoryOfMuchStderr(t *testing.T) {
	const size = 100_000_000
	r := start(t, fakeEntry("fake", "stderr-flood-call", quick+", timeout: 60s", "--size", strconv.Itoa(size)))
	r.tools("fake")
	grown := peak(t, func() { expect(t, r.echo("fake"), messages.OK, messages.RanYes) })
	if grown > size/2 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	kept, err := os.ReadDir(r.StateDir() + "/logs")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range kept {
		if info, err := file.Info(); err != nil || info.Size() > 6<<20 {
			t.Errorf("%s: %v %v", file.Name(), info.Size(), err)
		}
	}
}
