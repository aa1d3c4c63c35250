package policy

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// load makes a set of texts, as the files 1.cedar, 2.cedar and so on.
func load(t testing.TB, texts ...string) *Set {
	t.Helper()
	s, err := Load(files(texts...))
	if err != nil {
		t.Fatalf("Load:\n%v", err)
	}
	return s
}

func files(texts ...string) []File {
	var fs []File
	for i, text := range texts {
		fs = append(fs, File{Name: "policies/" + string(rune('1'+i)) + ".cedar", Text: []byte(text)})
	}
	return fs
}

// noon is a Tuesday.
var noon = time.Date(2026, 3, 3, 12, 30, 0, 0, time.UTC)

// reading is a call that most tests change a little.
func reading() Request {
	return Request{
		Agent:      Agent{Topology: "swarm", ID: "reader", Role: "worker", Groups: []string{"staff"}, Trust: 0.57},
		Server:     "files",
		ServerTags: []string{"local"},
		Tool:       "read",
		ToolTags:   []string{"text"},
		Effect:     spec.Read,
		Arguments:  json.RawMessage(`{"path":"/srv/data/a.txt","limit":10}`),
		Run:        "run-1",
		Now:        noon,
		Tier:       spec.Cautious,
		Counts:     Counts{Agent: 3, Run: 7, Denied: 1},
	}
}

func with(change func(*Request)) Request {
	r := reading()
	change(&r)
	return r
}

func pointer[T any](v T) *T { return &v }

func lines(ls ...string) string { return strings.Join(ls, "\n") }
