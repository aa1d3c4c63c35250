package governance

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

func BenchmarkDecide(b *testing.B) {
	p := NewBuiltin(workspace())
	a := Action{Agent: "writer", Server: "files", Tool: "read", Catalogue: filesCatalogue(), Arguments: json.RawMessage(`{"path":"/tmp/x","limit":10}`)}
	b.Run("builtin", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !p.EvaluateAction(context.Background(), a).Allowed {
				b.Fatal("refused")
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := parseArguments(a.Arguments); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("evaluate with a time-out", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !Evaluate(context.Background(), p, a, time.Second).Allowed {
				b.Fatal("refused")
			}
		}
	})
}
