package mcp

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// BenchmarkDeath measures how long a caller waits for the news after its server was killed with SIGKILL, and how long
// it takes until nothing of the server is left. It asserts nothing: numbers of a busy machine say little.
//
//	go test ./mcp -run '^$' -bench Death -benchtime 200x
func BenchmarkDeath(b *testing.B) {
	servers := map[string]spec.Server{
		"server":                    fakeServer(b, "hang-call"),
		"behind a wrapper":          scripted(b, "hang-call", `"$0"; true`),
		"outsider holds its pipes":  scripted(b, "hang-call", `setsid sleep 3600 <&0 >&1 2>&2 & exec "$0"`),
		"outsider without a cookie": scripted(b, "hang-call", `env -i setsid sleep 5 <&0 >&1 2>&2 & exec "$0"`),
	}
	for name, server := range servers {
		b.Run(name, func(b *testing.B) {
			var heard, gone []time.Duration
			for b.Loop() {
				h, g := death(b, server)
				heard, gone = append(heard, h), append(gone, g)
			}
			for unit, took := range map[string][]time.Duration{"heard": heard, "gone": gone} {
				slices.Sort(took)
				b.ReportMetric(micros(took[len(took)/2]), unit+"-p50-µs")
				b.ReportMetric(micros(took[len(took)*99/100]), unit+"-p99-µs")
			}
		})
	}
}

// death kills a server that has a call in flight, and returns how long it took to hear of it and to clean up.
func death(b *testing.B, server spec.Server) (heard, gone time.Duration) {
	b.Helper()
	s, err := Open(context.Background(), server, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	end, _ := begin(s, "echo", "")
	eventually(b, "the call is written", func() bool { return written(s) == 1 })
	began := time.Now()
	if err := killOne(s.PID()); err != nil {
		b.Fatal(err)
	}
	wait(b, end)
	heard = time.Since(began)
	ended(b, s)
	return heard, time.Since(began)
}

// written counts the calls in flight that the writer took.
func written(s *Session) (n int) {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	for _, c := range s.pending.calls {
		if c.state.Load() == sending {
			n++
		}
	}
	return n
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()/100) / 10 }
