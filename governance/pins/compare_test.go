package pins

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func tool(name, hash, description, schema string, readOnly bool) Seen {
	return Seen{
		Tool: mcpspec.Tool{
			Name: name, Description: description, InputSchema: json.RawMessage(schema),
			Annotations: mcpspec.Annotations{ReadOnly: &readOnly},
		},
		Hash: hash,
	}
}

func TestCompare(t *testing.T) {
	read := tool("read", "h1", "Reads.", `{"type":"object","a":1}`, true)
	wipe := tool("wipe", "h2", "Wipes.", `{}`, false)
	l := new(Lock).With("files", read, wipe)
	for _, tt := range []struct {
		name, server string
		seen         []Seen
		want         string
	}{
		{"the same", "files", []Seen{read, wipe}, ""},
		{"in another order", "files", []Seen{wipe, read}, ""},
		{"keys in another order", "files", []Seen{tool("read", "h1", "Reads.", ` {"a":1, "type":"object"}`, true), wipe}, ""},
		{"new, sorted", "files", []Seen{tool("b", "h", "", "", true), read, wipe, tool("a", "h", "", "", true)}, `new: tool "a" is new, tool "b" is new`},
		{"gone, sorted", "files", nil, `gone: tool "read" is gone, tool "wipe" is gone`},
		{"description", "files", []Seen{tool("read", "x", "Reads!", `{"a":1,"type":"object"}`, true), wipe}, `changed: tool "read" changed: description`},
		{"schema", "files", []Seen{tool("read", "x", "Reads.", `{"type":"object","a":1.0}`, true), wipe}, `changed: tool "read" changed: input schema`},
		{"annotations", "files", []Seen{tool("read", "x", "Reads.", `{"type":"object","a":1}`, false), wipe}, `changed: tool "read" changed: annotations`},
		{"all of it, two tools", "files", []Seen{tool("wipe", "x", "?", ``, true), tool("read", "x", "?", `{"a":1,"a":1}`, false)}, `changed: tool "read" changed: description, input schema, annotations, tool "wipe" changed: description, input schema, annotations`},
		{"the lock cannot tell", "files", []Seen{tool("read", "x", "Reads.", `{"a":1,"type":"object"}`, true), wipe}, `changed: tool "read" changed`},
		{"only the hash decides", "files", []Seen{tool("read", "h1", "?", `[]`, false), wipe}, ""},
		{"renamed", "files", []Seen{tool("re\u200bad", "h1", "Reads.", `{}`, true), wipe}, `new: tool "re\u200bad" is new; gone: tool "read" is gone`},
		{"the first of a name counts", "files", []Seen{read, tool("read", "x", "", "", true), wipe}, ""},
		{"a server nobody pinned", "other", []Seen{read}, `new: tool "read" is new`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := l.Compare(tt.server, tt.seen)
			if diff := cmp.Diff(tt.want, told(d)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if d.Empty() != (tt.want == "") {
				t.Errorf("Empty is %v", d.Empty())
			}
		})
	}
}

func told(d Diff) string {
	var parts []string
	for _, list := range []struct {
		name    string
		changes []Change
	}{{"new", d.New}, {"changed", d.Changed}, {"gone", d.Gone}} {
		var lines []string
		for _, c := range list.changes {
			lines = append(lines, c.String())
		}
		if lines != nil {
			parts = append(parts, list.name+": "+strings.Join(lines, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func TestChangeCarriesBothPins(t *testing.T) {
	before, now := tool("read", "h1", "Reads.", `{}`, true), tool("read", "h2", "Reads "+strings.Repeat("é \n", 80), `{}`, true)
	c := new(Lock).With("s", before).Compare("s", []Seen{now}).Changed[0]
	if c.Old.Hash != "h1" || c.Old.Description != "Reads." || c.New.Hash != "h2" {
		t.Errorf("old %+v, new %+v", c.Old, c.New)
	}
	if got := c.New.Description; len([]rune(got)) != 80 || !strings.HasPrefix(got, "Reads é é ") || !strings.HasSuffix(got, "…") {
		t.Errorf("the excerpt is %q", got)
	}
}

// Approving one tool leaves the others as they were, the earlier lock too, and what others wrote beside its pin.
func TestWithAndWithout(t *testing.T) {
	l := parsed(t, file)
	same := l.With("files", Seen{Tool: mcpspec.Tool{Name: "read"}, Hash: "h1"})
	if diff := cmp.Diff(file, string(same.Encode())); diff != "" {
		t.Errorf("approved again: %s", diff)
	}
	other := l.With("files", tool("read", "h9", "Now reads.", `{}`, true)).Encode()
	if text := string(other); !strings.Contains(text, `"h9"`) || !strings.Contains(text, `"h2"`) || strings.Contains(text, "ada") {
		t.Errorf("approved anew: %s", text)
	}
	less := l.Without("files", "read", "nothing").Without("bare").Without("nobody").Without("nobody", "x")
	if diff := cmp.Diff([]string{"files"}, less.Servers()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"wi\u200bpe"}, less.Tools("files")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(file, string(l.Encode())); diff != "" {
		t.Errorf("the first lock changed: %s", diff)
	}
	if empty := new(Lock).With("s"); !empty.Has("s") || empty.Has("t") {
		t.Error("a server that was pinned without tools is known")
	}
}

// What was approved raises nothing, and is the same after it was written and read.
func TestApprovedIsApproved(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l, approved := new(Lock), map[string][]Seen{}
		for range rapid.IntRange(0, 4).Draw(rt, "servers") {
			server, tools := rapid.String().Draw(rt, "server"), rapid.SliceOf(seen()).Draw(rt, "tools")
			l, approved[server] = l.Without(server).With(server, tools...), tools
		}
		again, err := Parse(l.Encode())
		if err != nil {
			rt.Fatalf("%v in\n%s", err, l.Encode())
		}
		if diff := cmp.Diff(l, again, same); diff != "" {
			rt.Fatalf("-encoded +parsed:\n%s", diff)
		}
		for server, tools := range approved {
			if d := again.Compare(server, rapid.Permutation(tools).Draw(rt, "order")); !unique(tools) {
				continue
			} else if !d.Empty() {
				rt.Fatalf("server %q: %s", server, told(d))
			}
		}
	})
}

func unique(tools []Seen) bool {
	names := map[string]bool{}
	for _, t := range tools {
		names[t.Name] = true
	}
	return len(names) == len(tools)
}

func seen() *rapid.Generator[Seen] {
	return rapid.Custom(func(t *rapid.T) Seen {
		return tool(
			rapid.String().Draw(t, "name"), rapid.StringN(1, -1, -1).Draw(t, "hash"), rapid.String().Draw(t, "description"),
			rapid.SampledFrom([]string{``, `{}`, `{"a":"\u200b"}`, `{"a":1,"a":2}`, `no JSON`}).Draw(t, "schema"), rapid.Bool().Draw(t, "read only"),
		)
	})
}
