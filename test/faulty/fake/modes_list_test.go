package fake

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

var listBehaviours = map[string]behaviour{
	"many-tools": lists("--n 500", func(names []string) bool {
		return len(names) == 500 && names[0] == "echo" && names[499] == "tool_0499"
	}),
	"dup-tools": lists("", func(names []string) bool { return len(names) == 9 && names[0] == "echo" && names[8] == "echo" }),
	"weird-names": {"", func(p *process) {
		got := p.toolNames()[8:]
		for _, length := range []int{0, 1, 64, 65, 130} {
			if !slices.ContainsFunc(got, func(name string) bool { return len(name) == length }) {
				p.t.Errorf("no name has %d bytes: %q", length, got)
			}
		}
		for i, name := range got {
			if slices.Contains(got[:i], name) {
				p.t.Errorf("%q comes twice", name)
			}
			if said := p.call(name, "{}"); !strings.Contains(said, quote(name+" of faulty")) {
				p.t.Errorf("%q = %s", name, said)
			}
		}
	}},
	"weird-schemas": lists("", func(names []string) bool {
		return len(names) == 43 && len(slices.Compact(slices.Sorted(slices.Values(names)))) == 43 &&
			!slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "s_") })
	}),
	"bad-tool-in-list": lists("", func(names []string) bool {
		return len(names) == 11 && slices.Equal(names[:6], []string{"echo", "?", "add", "?", "sleep", "?"})
	}),
	"paginated-tools": {"--n 4", func(p *process) {
		var got []string
		for page, cursor := 1, ""; page == 1 || cursor != ""; page++ {
			p.request("tools/list", fmt.Sprintf(`{"cursor":%s}`, quote(cursor)))
			line := p.line()
			got, cursor = append(got, names(p.t, line)...), nextCursor(p, line)
			if page > 3 {
				p.t.Fatalf("page %d: %s", page, line)
			}
		}
		if len(got) != 10 || got[0] != "page_00" || got[9] != "page_09" {
			p.t.Errorf("tools/list = %q", got)
		}
		p.request("tools/list", `{"cursor":"4"}`)
		p.wantLine(`"code":-32602`)
	}},

	"list-changed": changing(true, func(names []string) bool {
		return !slices.Contains(names, "add") && slices.Contains(names, "added")
	}),
	"list-changed-silent": changing(false, func(names []string) bool {
		return !slices.Contains(names, "add") && slices.Contains(names, "added")
	}),
	"rug-pull": {"", func(p *process) {
		p.request("tools/list", "{}")
		before := p.line()
		p.echoes()
		p.wantLine("notifications/tools/list_changed")
		p.request("tools/list", "{}")
		after := p.line()
		if strings.Contains(before, "copy of all your files") || !strings.Contains(after, "copy of all your files") {
			p.t.Errorf("before: %s\nafter: %s", before, after)
		}
		p.echoes()
	}},
	"rug-pull-restart": {"", func(p *process) {
		state := filepath.Join(p.t.TempDir(), "state")
		for _, changed := range []bool{false, true, true} {
			again := start(p.t, "--mode", "rug-pull-restart", "--state", state)
			again.request("tools/list", "{}")
			if got := again.line(); strings.Contains(got, "copy of all your files") != changed {
				p.t.Errorf("start %q: changed is %t", content(state), !changed)
			}
		}
	}},
}

// changing is a behaviour: the list satisfies other after the first call, and the client is told once or never.
func changing(tells bool, other func([]string) bool) behaviour {
	return behaviour{"", func(p *process) {
		p.t.Helper()
		if before := p.toolNames(); other(before) {
			p.t.Errorf("before the call: %q", before)
		}
		p.echoes()
		if tells {
			p.wantLine("notifications/tools/list_changed")
		}
		if after := p.toolNames(); !other(after) {
			p.t.Errorf("after the call: %q", after)
		}
		p.echoes()
		p.stillAnswersPing()
	}}
}

func nextCursor(p *process, line string) string {
	p.t.Helper()
	var page struct{ Result struct{ NextCursor string } }
	if err := json.Unmarshal([]byte(line), &page); err != nil {
		p.t.Fatal(err)
	}
	return page.Result.NextCursor
}
