package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func openIndex(t testing.TB, dir string) *Index {
	t.Helper()
	ix, err := OpenIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

func catchUp(t testing.TB, ix *Index) {
	t.Helper()
	if err := ix.CatchUp(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func list(t testing.TB, ix *Index, f Filter) []Record {
	t.Helper()
	catchUp(t, ix)
	records, err := ix.List(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func seqs(records []Record) []int64 {
	numbers := make([]int64, 0, len(records))
	for _, r := range records {
		numbers = append(numbers, r.Seq)
	}
	return numbers
}

// varied draws records that a filter can tell apart. Its texts are few, so that filters often match.
func varied() *rapid.Generator[Record] {
	word := rapid.SampledFrom([]string{"", "a", "b", "ä'\"%_"})
	return rapid.Custom(func(t *rapid.T) Record {
		return Record{
			EventType: EventType(rapid.SampledFrom([]string{"tool.intent", "skill.executed", "x"}).Draw(t, "type")),
			AgentID:   word.Draw(t, "agent"), Server: word.Draw(t, "server"), Tool: word.Draw(t, "tool"),
			RunID: word.Draw(t, "run"), CallID: word.Draw(t, "call"), Outcome: "ok",
		}
	})
}

func filters(records int, start time.Time) *rapid.Generator[Filter] {
	word := rapid.SampledFrom([]string{"", "", "", "a", "b", "ä'\"%_"})
	moment := rapid.Map(rapid.IntRange(-1, records+1), func(n int) time.Time {
		if n < 0 {
			return time.Time{}
		}
		return start.Add(time.Duration(n) * time.Second)
	})
	return rapid.Custom(func(t *rapid.T) Filter {
		return Filter{
			Agent: word.Draw(t, "agent"), Server: word.Draw(t, "server"), Tool: word.Draw(t, "tool"), Run: word.Draw(t, "run"),
			CallID: word.Draw(t, "call"), EventType: EventType(rapid.SampledFrom([]string{"", "x"}).Draw(t, "type")),
			Since: moment.Draw(t, "since"), Until: moment.Draw(t, "until"),
			AfterSeq: rapid.Int64Range(0, int64(records)).Draw(t, "after"), Limit: rapid.IntRange(0, 20).Draw(t, "limit"),
		}
	})
}

// pass is the filter in plain Go.
func (f Filter) pass(r Record) bool {
	same := func(want, got string) bool { return want == "" || want == got }
	return same(f.Agent, r.AgentID) && same(f.Server, r.Server) && same(f.Tool, r.Tool) && same(f.Run, r.RunID) &&
		same(f.CallID, r.CallID) && same(string(f.EventType), string(r.EventType)) &&
		(f.Since.IsZero() || !r.Timestamp.Before(f.Since)) && (f.Until.IsZero() || r.Timestamp.Before(f.Until)) &&
		r.Seq > f.AfterSeq
}

func TestListAgreesWithTheLog(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := start
	dir := t.TempDir()
	tick := func() time.Time { now = now.Add(time.Second); return now }
	ix := openIndex(t, dir)
	l := openLog(t, dir, Options{SegmentSize: 5000, Notify: ix.Notify, now: tick})
	var all []Record
	rapid.Check(t, func(t *rapid.T) {
		for _, r := range rapid.SliceOfN(varied(), 0, 5).Draw(t, "records") {
			w, err := l.Append(r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, w)
		}
		f := filters(len(all), start).Draw(t, "filter")
		want := slices.DeleteFunc(slices.Clone(all), func(r Record) bool { return !f.pass(r) })
		if limit := f.Limit; limit > 0 && len(want) > limit {
			want = map[bool][]Record{true: want[:limit], false: want[len(want)-limit:]}[f.AfterSeq > 0]
		} else if limit == 0 && len(want) > DefaultLimit {
			want = map[bool][]Record{true: want[:DefaultLimit], false: want[len(want)-DefaultLimit:]}[f.AfterSeq > 0]
		}
		if err := ix.CatchUp(context.Background()); err != nil {
			t.Fatal(err)
		}
		got, err := ix.List(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]Record{}, want...), got); diff != "" {
			t.Fatalf("%+v (-want +got):\n%s", f, diff)
		}
	})
}

func TestListByOutcome(t *testing.T) {
	dir := t.TempDir()
	mustAppend(t, openLog(t, dir, Options{}), calls(2)...)
	got := list(t, openIndex(t, dir), Filter{Outcome: "ok"})
	if diff := cmp.Diff([]int64{2, 4}, seqs(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIndexOfAnEmptyLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	if got := list(t, openIndex(t, dir), Filter{}); len(got) != 0 {
		t.Errorf("List = %v", got)
	}
	info, err := os.Stat(filepath.Join(dir, "audit.db"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("audit.db is %v, %v", info, err)
	}
}

func TestIndexFollowsByItself(t *testing.T) {
	dir := t.TempDir()
	ix := openIndex(t, dir)
	mustAppend(t, openLog(t, dir, Options{Notify: ix.Notify}), calls(5)...)
	deadline := time.Now().Add(30 * time.Second)
	for {
		got, err := ix.List(context.Background(), Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 10 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d records after 30 s, want 10", len(got))
		}
		time.Sleep(time.Millisecond)
	}
}

func TestIndexGoesOnWhereItWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with ?#% in it")
	l := openLog(t, dir, Options{SegmentSize: 300_000})
	for n := range 3 {
		mustAppend(t, l, calls(batch)...) // two transactions, some segments
		ix := openIndex(t, dir)
		catchUp(t, ix)
		// One row is taken away each time. It comes back if what was indexed already is read again.
		var rows int
		if err := ix.db.QueryRow("SELECT count(*) FROM records").Scan(&rows); err != nil {
			t.Fatal(err)
		}
		if want := (n+1)*2*batch - n; rows != want {
			t.Errorf("%d rows, want %d", rows, want)
		}
		if _, err := ix.db.Exec("DELETE FROM records WHERE seq = (SELECT max(seq) FROM records)"); err != nil {
			t.Fatal(err)
		}
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndexIsBuiltAnew(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"deleted": func(t *testing.T, dir string) {
			if err := os.Remove(databasePath(dir)); err != nil {
				t.Fatal(err)
			}
		},
		"emptied": func(t *testing.T, dir string) { writeFile(t, databasePath(dir), nil) },
		"rubbish": func(t *testing.T, dir string) {
			writeFile(t, databasePath(dir), bytes.Repeat([]byte("rubbish "), 2000))
		},
		"truncated": func(t *testing.T, dir string) { writeFile(t, databasePath(dir), readFile(t, databasePath(dir))[:5000]) },
		"pages lost": func(t *testing.T, dir string) {
			data := readFile(t, databasePath(dir))
			for i := 4096; i < len(data); i++ {
				data[i] = 0xa5
			}
			writeFile(t, databasePath(dir), data)
		},
		"of another version": func(t *testing.T, dir string) {
			db, err := connect(dir)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("PRAGMA user_version = 99; DROP TABLE records"); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"of another log": func(t *testing.T, dir string) {
			for _, path := range segmentPaths(t, dir) {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			mustAppend(t, openLog(t, dir, Options{}), calls(20)...)
		},
		"of a log that was set back": func(t *testing.T, dir string) {
			path := segmentPaths(t, dir)[0]
			lines := bytes.SplitAfter(readFile(t, path), []byte("\n"))
			writeFile(t, path, bytes.Join(lines[:10], nil))
			mustAppend(t, openLog(t, dir, Options{}), call("other", "ada", "files", "write")...)
		},
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustAppend(t, openLog(t, dir, Options{}), calls(20)...)
			ix := openIndex(t, dir)
			catchUp(t, ix)
			if err := ix.Close(); err != nil {
				t.Fatal(err)
			}
			damage(t, dir)

			records := verify(t, dir).Records
			got := list(t, openIndex(t, dir), Filter{})
			if int64(len(got)) != records || got[len(got)-1].Seq != records {
				t.Errorf("List has %d records, the log %d", len(got), records)
			}
		})
	}
}

func TestListRepairsAnIndexThatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	mustAppend(t, openLog(t, dir, Options{}), calls(20)...)
	ix := openIndex(t, dir)
	catchUp(t, ix)
	// A record in the middle gets longer: all behind it move.
	path := segmentPaths(t, dir)[0]
	data := bytes.Replace(readFile(t, path), []byte(`"agent_id":"ada"`), []byte(`"agent_id":"somebody else"`), 1)
	writeFile(t, path, data)
	got, err := ix.List(context.Background(), Filter{})
	if err != nil || len(got) != 40 || got[0].AgentID != "somebody else" {
		t.Errorf("List = %d records, %v", len(got), err)
	}
}

func TestIndexLeavesOutWhatIsNoRecord(t *testing.T) {
	dir := t.TempDir()
	mustAppend(t, openLog(t, dir, Options{}), calls(2)...)
	path := segmentPaths(t, dir)[0]
	writeFile(t, path, append([]byte("rubbish\n"), append(readFile(t, path), `{"seq":5,"half`...)...))
	if diff := cmp.Diff([]int64{1, 2, 3, 4}, seqs(list(t, openIndex(t, dir), Filter{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReindex(t *testing.T) {
	dir := t.TempDir()
	mustAppend(t, openLog(t, dir, Options{}), calls(20)...)
	ix := openIndex(t, dir)
	before := list(t, ix, Filter{})
	if _, err := ix.db.Exec("DELETE FROM records WHERE seq > 3"); err != nil {
		t.Fatal(err)
	}
	if err := ix.Reindex(context.Background()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, list(t, ix, Filter{})); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestIndexAfterClose(t *testing.T) {
	ix := openIndex(t, t.TempDir())
	for range 2 {
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ix.Notify()
	ctx := context.Background()
	if err := ix.CatchUp(ctx); !errors.Is(err, ErrIndexClosed) {
		t.Errorf("CatchUp = %v", err)
	}
	if _, err := ix.List(ctx, Filter{}); err == nil {
		t.Error("List of a closed index succeeded")
	}
}

func TestIndexHonoursTheContext(t *testing.T) {
	ix := openIndex(t, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := ix.Reindex(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Reindex = %v", err)
	}
	if _, err := ix.List(ctx, Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("List = %v", err)
	}
}

func TestOpenIndexSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(databasePath(dir), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if ix, err := OpenIndex(dir); err == nil || !strings.Contains(err.Error(), "audit.db") {
		t.Errorf("OpenIndex = %v, %v; want an error that names the file", ix, err)
	}
}

// The writer, the index's goroutine, searches, barriers and rebuilds, all at once.
func TestIndexUnderConcurrency(t *testing.T) {
	dir := t.TempDir()
	ix := openIndex(t, dir)
	l := openLog(t, dir, Options{SegmentSize: 50_000, Notify: ix.Notify})
	ctx := context.Background()
	faults := make(chan error, 3)
	for _, work := range []func(n int) error{
		func(int) error { _, err := ix.List(ctx, Filter{Agent: "ada"}); return err },
		func(int) error { return ix.CatchUp(ctx) },
		func(n int) error {
			if n%10 == 0 {
				return ix.Reindex(ctx)
			}
			ix.Notify()
			return nil
		},
	} {
		spawn(t, func() {
			var err error
			for n := 0; n < 30 && err == nil; n++ {
				err = work(n)
			}
			faults <- err
		})
	}
	for i := range 500 {
		mustAppend(t, l, call(fmt.Sprint(i), "ada", "files", "read")...)
	}
	for range 3 {
		if err := <-faults; err != nil {
			t.Error(err)
		}
	}
	if got := list(t, ix, Filter{Limit: 2000}); len(got) != 1000 {
		t.Errorf("%d records, want 1000", len(got))
	}
}
