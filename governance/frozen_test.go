package governance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFrozenCovers(t *testing.T) {
	tests := []struct {
		name                    string
		frozen                  Frozen
		topology, agent, server string
		want                    bool
	}{
		{"nothing", Frozen{}, "t", "a", "s", false},
		{"everything, the operator too", Frozen{All: true}, "", "operator", "s", true},
		{"an agent of any topology", Frozen{Agents: []string{"a"}}, "t", "a", "s", true},
		{"another agent", Frozen{Agents: []string{"a"}}, "t", "b", "s", false},
		{"an agent of one topology", Frozen{Agents: []string{"t/a"}}, "t", "a", "s", true},
		{"of another topology", Frozen{Agents: []string{"t/a"}}, "u", "a", "s", false},
		{"a call that names no topology", Frozen{Agents: []string{"t/a"}}, "", "a", "s", true},
		{"a server", Frozen{Servers: []string{"s"}}, "t", "a", "s", true},
		{"an id is no prefix", Frozen{Servers: []string{"s"}, Agents: []string{"a"}}, "t", "ab", "sx", false},
	}
	for _, tt := range tests {
		if got := tt.frozen.Covers(tt.topology, tt.agent, tt.server); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// Freezing and thawing the same is neutral, and freezing never lets a call through that was frozen.
func TestFreezeIsMonotone(t *testing.T) {
	names := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "t/a", "u/a"}))
	frozen := rapid.Custom(func(t *rapid.T) Frozen {
		return Frozen{All: rapid.Bool().Draw(t, "all"), Agents: union(names.Draw(t, "agents"), nil), Servers: union(names.Draw(t, "servers"), nil)}
	})
	rapid.Check(t, func(t *rapid.T) {
		f, more := frozen.Draw(t, "f"), frozen.Draw(t, "more")
		all := f.With(more)
		agent, server := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "agent"), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "server")
		if f.Covers("t", agent, server) && !all.Covers("t", agent, server) {
			t.Fatalf("%s was frozen by %s and is not by %s", agent, &f, &all)
		}
		if diff := cmp.Diff(all, all.With(f)); diff != "" {
			t.Fatalf("freezing twice: %s", diff)
		}
		if left := all.Without(all); !left.Empty() {
			t.Fatalf("%s is left", &left)
		}
	})
}
