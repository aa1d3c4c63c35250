package demoserver

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"
)

func TestCounter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "on", "the", "way", "count")
	session := connect(t, "counter", path)
	for _, tc := range []struct {
		tool string
		args args
		want string
	}{
		{"get", nil, "0"},
		{"increment", nil, "1"},
		{"increment", args{"by": 41, "key": "k1"}, "42"},
		{"increment", args{"by": -2}, "40"},
		{"increment", args{"by": 0, "key": "line\nbreak"}, "40"},
		{"get", nil, "40"},
		{"increment", args{"by": 1.5}, "error: "},
		{"increment", args{"key": strings.Repeat("k", maxKey+1)}, "error: key has 257 bytes"},
		{"get", nil, "40"},
	} {
		if got := call(t, session, tc.tool, tc.args); !strings.HasPrefix(got, tc.want) || (got != tc.want && !strings.HasPrefix(got, "error")) {
			t.Errorf("%s(%v) = %q, want %q", tc.tool, tc.args, got, tc.want)
		}
	}
	want := []entry{{1, 1, ""}, {42, 41, "k1"}, {40, -2, ""}, {40, 0, "line\nbreak"}}
	if diff := cmp.Diff(want, entries(t, path)); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "40\n" {
		t.Errorf("the file holds %q, %v", content, err)
	}
}

func TestCounterDoesNotOverflow(t *testing.T) {
	for _, tc := range []struct{ before, by int64 }{{1, math.MaxInt64}, {-2, math.MinInt64 + 1}} {
		path := filepath.Join(t.TempDir(), "count")
		leave(t, path, fmt.Sprint(tc.before))
		if got, err := (counter{path, ledger(path + ".log")}).add(tc.by, ""); err == nil {
			t.Errorf("%d + %d = %d, want an error", tc.before, tc.by, got)
		}
	}
}

// A process may die at any point of an increment. Whatever it leaves, the next one counts on from the last whole line.
func TestCounterTakesOverAfterADeath(t *testing.T) {
	const line = `{"total":4,"by":1}` + "\n"
	long := `{"total":5,"by":1,"key":"` + strings.Repeat(`\u0000`, maxKey) + `"}` + "\n"
	for _, tc := range []struct {
		name, file, ledger, want string
	}{
		{"before the ledger line", "4\n", line, "5"},
		{"in the middle of the ledger line", "4\n", line + `{"total":5,"b`, "5"},
		{"in the middle of the first ledger line", "", `{"total":1,"by"`, "1"},
		{"between the ledger line and the file", "3\n", line, "5"},
		{"between the first ledger line and the file", "", `{"total":1,"by":1}` + "\n", "2"},
		{"with the longest line there is", "4\n", strings.Repeat(line, 500) + long, "6"},
		{"without a ledger", "7\n", "", "8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "count")
			leave(t, path, tc.file)
			leave(t, path+".log", tc.ledger)
			whole := strings.Count(tc.ledger, "\n")
			if got := call(t, connect(t, "counter", path), "increment", nil); got != tc.want {
				t.Errorf("increment = %s, want %s", got, tc.want)
			}
			if got := len(entries(t, path)); got != whole+1 {
				t.Errorf("the ledger has %d lines, want %d", got, whole+1)
			}
		})
	}
}

func leave(t *testing.T, path, content string) {
	t.Helper()
	if content == "" {
		return
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCounterLosesNothingBetweenProcesses(t *testing.T) {
	const callers, each = 4, 25
	path := filepath.Join(t.TempDir(), "count")
	first, _, _ := spawn(t, "counter", path)
	second, _, _ := spawn(t, "counter", path)
	var group errgroup.Group
	for i := range callers {
		session := []*sdk.ClientSession{first, second}[i%2]
		group.Go(func() error {
			for k := range each {
				if _, err := try(t.Context(), session, "increment", args{"key": fmt.Sprintf("%d-%d", i, k)}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := call(t, first, "get", nil); got != fmt.Sprint(callers*each) {
		t.Errorf("get = %s, want %d", got, callers*each)
	}
	keys := map[string]bool{}
	for i, e := range entries(t, path) {
		keys[e.Key] = true
		if e.Total != int64(i+1) {
			t.Fatalf("ledger line %d says %d", i+1, e.Total)
		}
	}
	if len(keys) != callers*each {
		t.Errorf("the ledger has %d different keys, want %d", len(keys), callers*each)
	}
}

func entries(t *testing.T, path string) []entry {
	t.Helper()
	content, err := os.ReadFile(path + ".log")
	if err != nil {
		t.Fatal(err)
	}
	var all []entry
	for line := range strings.Lines(string(content)) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("ledger line %q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

func FuzzLastLine(f *testing.F) {
	for _, seed := range []string{"", "\n", "a", "a\n", "a\nb", "a\nb\n", "\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, chunk []byte) {
		line, n := lastLine(chunk)
		if strings.Contains(string(line), "\n") {
			t.Errorf("a line with a newline: %q", line)
		}
		if n > 0 && !strings.HasSuffix(string(chunk[:n]), string(line)+"\n") {
			t.Errorf("%q does not end with %q and a newline", chunk[:n], line)
		}
		if strings.Contains(string(chunk[n:]), "\n") {
			t.Errorf("a whole line is left behind %d in %q", n, chunk)
		}
	})
}
