package names

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var legal = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestTable(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, tt := range []struct {
		name    string
		entries []Entry
		want    []string
	}{
		{"legal names stay", []Entry{{"s", "", "read"}, {"s", "", "read-all_2"}}, []string{"read", "read-all_2"}},
		{"prefix", []Entry{{"s", "fs_", "read"}}, []string{"fs_read"}},
		{"dots, slashes, spaces", []Entry{{"s", "", "a.b"}, {"s", "", "a/b"}, {"s", "", "a b"}}, []string{"a_b_d18ddd72", "a_b_b44b8ae0", "a_b_6b9397fa"}},
		{"a legal name keeps its own although others become it", []Entry{{"s", "", "a_b"}, {"s", "", "a.b"}}, []string{"a_b", "a_b_d18ddd72"}},
		{"prefix that models refuse", []Entry{{"s", "my.", "read"}}, []string{"my_read_4b728154"}},
		{"unicode", []Entry{{"s", "", "größe"}, {"s", "", "工具"}}, []string{"gr__e_9c0a1d64", "___29dc249e"}},
		{"64 characters", []Entry{{"s", "", long[:64]}}, []string{long[:64]}},
		{"65 characters", []Entry{{"s", "", long[:65]}}, []string{long[:55] + "_7dc9dd38"}},
		{"names that differ after the cut", []Entry{{"s", "", long + "1"}, {"s", "", long + "2"}}, []string{long[:55] + "_f6610b83", long[:55] + "_75088c33"}},
		{"one tool on two servers", []Entry{{"one", "", "search"}, {"two", "", "search"}}, []string{"one_search", "two_search"}},
		{"one tool on two servers, one with a prefix", []Entry{{"one", "", "search"}, {"two", "two_", "search"}}, []string{"search", "two_search"}},
		{"a server's name that models refuse", []Entry{{"o.ne", "", "search"}, {"two", "", "search"}}, []string{"o_ne_search_4b3470b6", "two_search"}},
		{"prefixes that meet", []Entry{{"one", "a_", "b"}, {"two", "a", "_b"}}, []string{"a_b_2ad0d0c9", "a_b_208cc1ad"}},
		{"a tool called like another one's renamed self", []Entry{{"one", "", "s"}, {"two", "", "s"}, {"three", "", "one_s"}}, []string{"one_s_2b4415c1", "two_s", "one_s_0af887a3"}},
		{"the same tool twice", []Entry{{"s", "", "read"}, {"s", "", "read"}}, []string{"read", "read"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := Table(tt.entries)
			var got []string
			for _, e := range tt.entries {
				got = append(got, n.Exported(e.Server, e.Tool))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNamelessToolsAreLeftOut(t *testing.T) {
	n := Table([]Entry{{"s", "p_", ""}, {"s", "p_", "read"}})
	if n.Len() != 1 || n.Exported("s", "") != "" {
		t.Errorf("a tool without a name is exported as %q", n.Exported("s", ""))
	}
	if diff := cmp.Diff([]string{`server "s" has a tool without a name; it is left out`}, n.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A call by any other spelling finds nothing.
func TestLookupIsExact(t *testing.T) {
	n := Table([]Entry{{"s", "fs_", "a.b"}, {"s", "fs_", "read"}})
	for _, name := range []string{"a.b", "fs_a.b", "fs_a_b", "read", "FS_READ", "fs_read ", "s_read", ""} {
		if server, tool, ok := n.Lookup(name); ok {
			t.Errorf("%q is %s/%s", name, server, tool)
		}
	}
	for _, tool := range []string{"a.b", "read"} {
		server, got, ok := n.Lookup(n.Exported("s", tool))
		if !ok || server != "s" || got != tool {
			t.Errorf("%q comes back as %q of %q, %v", tool, got, server, ok)
		}
	}
}

// A hostile server calls a tool by the hashed name of another server's tool: both stay apart, and reachable.
func TestStolenName(t *testing.T) {
	victim := Entry{"bank", "", "pay.out"}
	stolen := Table([]Entry{victim}).Exported("bank", "pay.out")
	n := Table([]Entry{victim, {"evil", "", stolen}})
	a, b := n.Exported("bank", "pay.out"), n.Exported("evil", stolen)
	if a == b || a == stolen || b == stolen {
		t.Errorf("victim %q, thief %q, stolen %q", a, b, stolen)
	}
}

func entriesGen() *rapid.Generator[[]Entry] {
	name := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "a_b", "a.b", "a/b", "b", "_b", "one_a", strings.Repeat("y", 70) + "1", strings.Repeat("y", 70) + "2"}),
		rapid.String(),
	)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Entry {
		return Entry{
			Server: rapid.SampledFrom([]string{"one", "two", "one_a", "o.ne"}).Draw(t, "server"),
			Prefix: rapid.SampledFrom([]string{"", "a_", "a", "p."}).Draw(t, "prefix"),
			Tool:   name.Draw(t, "tool"),
		}
	}), 0, 12)
}

func TestNamesAreLegalUniqueAndComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := entriesGen().Draw(t, "entries")
		n := Table(entries)
		distinct := map[target]bool{}
		for _, e := range entries {
			if e.Tool == "" {
				continue
			}
			distinct[target{e.Server, e.Tool}] = true
			name := n.Exported(e.Server, e.Tool)
			if !legal.MatchString(name) {
				t.Fatalf("%+v is exported as %q", e, name)
			}
			if server, tool, ok := n.Lookup(name); !ok || server != e.Server || tool != e.Tool {
				t.Fatalf("%+v comes back as %q of %q", e, tool, server)
			}
		}
		if n.Len() != len(distinct) {
			t.Fatalf("%d names for %d tools", n.Len(), len(distinct))
		}
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := entriesGen().Draw(t, "entries")
		shuffled := slices.Clone(entries)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		a, b := Table(entries), Table(shuffled)
		if diff := cmp.Diff(a.exported, b.exported, cmp.AllowUnexported(target{})); diff != "" {
			t.Fatalf("-one order +another:\n%s", diff)
		}
	})
}
