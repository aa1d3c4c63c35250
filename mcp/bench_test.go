//go:build unix

package mcp

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// BenchmarkCall measures one call over a pipe to the fake, with 1 and 16 callers. The fake decodes with encoding/json
// and shares the processors, so that it bounds the speed; the allocations are this side's alone.
func BenchmarkCall(b *testing.B) {
	for _, callers := range []int{1, 16} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			s, err := Open(context.Background(), fakeServer(b, "ok"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.SetParallelism(callers)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				end := make(chan spec.Reply, 1)
				req := spec.CallRequest{Tool: "echo", Arguments: []byte(`{"text":"hi"}`)}
				for pb.Next() {
					s.Call(req, func(r spec.Reply) { end <- r })
					if r := <-end; r.Result == nil {
						b.Error(r.Err)
					}
				}
			})
		})
	}
}

// BenchmarkReceive measures taking in one answer of 64 KiB.
func BenchmarkReceive(b *testing.B) {
	s := newSession(withDefaults(serverOf("bench")), Options{}.withDefaults())
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%065536d"}]}}`, firstID, 7)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_ = s.pending.add(&call{id: firstID, done: func(spec.Reply) {}})
		if err := s.receive(line); err != nil || s.pending.len() != 0 {
			b.Fatal("not received")
		}
	}
}
