package actors

import (
	"context"
	"testing"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
)

// BenchmarkCall measures a call through the actors and the gate, over a session that answers at once.
func BenchmarkCall(b *testing.B) {
	f := &fakeServer{answer: nil}
	s, err := Start(context.Background(), oneServer(b, func(s *config.Server) { s.MaxInFlight = 256 }), WithDialer(f.dial))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Stop(context.Background()) }()
	r := request("hi")
	b.ReportAllocs()
	for b.Loop() {
		if got := s.CallTool(context.Background(), r); got.Outcome != messages.OK {
			b.Fatalf("%+v", got.Error)
		}
	}
}
