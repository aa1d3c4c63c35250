package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/messages"
)

// sample is a log of some segments, kept as the lines of each.
type sample struct {
	dir   string
	files []string
	lines [][]string // with their ends
}

// newSample writes a log of n calls in segments of about four records.
func newSample(t *testing.T, n int) sample {
	t.Helper()
	dir := t.TempDir()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) // always of one length, so that segments break at the same records
	l := openLog(t, dir, Options{SegmentSize: 2500, now: func() time.Time { return noon }})
	mustAppend(t, l, calls(n)...)
	s := sample{dir: dir}
	for _, path := range segmentPaths(t, dir) {
		s.files = append(s.files, path)
		s.lines = append(s.lines, slices.Collect(strings.Lines(string(readFile(t, path)))))
	}
	if len(s.files) < 3 {
		t.Fatalf("only %d segments", len(s.files))
	}
	return s
}

// position counts lines over all segments.
func (s sample) position(n int) (file, line int) {
	for file := range s.lines {
		if n < len(s.lines[file]) {
			return file, n
		}
		n -= len(s.lines[file])
	}
	panic("no such line")
}

func (s sample) count() (n int) {
	for _, lines := range s.lines {
		n += len(lines)
	}
	return n
}

// verifyChanged writes a copy of the sample that change was made to, and verifies it.
func (s sample) verifyChanged(t *rapid.T, change func(lines [][]string)) Report {
	dir, err := os.MkdirTemp(s.dir, "changed")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	copied := make([][]string, len(s.lines))
	for i := range s.lines {
		copied[i] = slices.Clone(s.lines[i])
	}
	change(copied)
	for i, lines := range copied {
		path := filepath.Join(dir, filepath.Base(s.files[i]))
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// wantFirst checks that the first problem is where the log was touched: at the line, or at one of the two beside it when
// the link to a neighbour broke.
func (s sample) wantFirst(t *rapid.T, report Report, n int) {
	if report.OK() {
		t.Fatalf("nothing found; touched line %d", n)
	}
	first := report.Problems[0]
	for near := max(n-1, 0); near <= min(n+1, s.count()-1); near++ {
		file, line := s.position(near)
		if first.Segment == filepath.Base(s.files[file]) && first.Line == line+1 {
			return
		}
	}
	t.Fatalf("found %v first; touched line %d", first, n)
}

func TestAnyByteThatIsChangedIsFound(t *testing.T) {
	s := newSample(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, s.count()-1).Draw(t, "line")
		file, i := s.position(n)
		line := s.lines[file][i]
		at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		old := line[at : at+1]
		with := rapid.OneOf(
			rapid.Just(""), // taken out
			rapid.Map(rapid.Byte(), func(b byte) string { return string([]byte{b}) }),       // replaced
			rapid.Map(rapid.Byte(), func(b byte) string { return string([]byte{b}) + old }), // put in
		).Filter(func(with string) bool { return with != old }).Draw(t, "with")
		report := s.verifyChanged(t, func(lines [][]string) { lines[file][i] = line[:at] + with + line[at+1:] })
		s.wantFirst(t, report, n)
	})
}

func TestAnyRecordThatIsRemovedIsFound(t *testing.T) {
	s := newSample(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		// Not the last: that is what anchors are for.
		n := rapid.IntRange(0, s.count()-2).Draw(t, "line")
		file, i := s.position(n)
		report := s.verifyChanged(t, func(lines [][]string) { lines[file] = slices.Delete(lines[file], i, i+1) })
		if report.OK() || report.Problems[0].Seq != int64(n+2) {
			t.Fatalf("removed line %d: %v", n, report.Problems)
		}
	})
}

func TestAnyRecordThatIsInsertedIsFound(t *testing.T) {
	s := newSample(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, s.count()-1).Draw(t, "line")
		file, i := s.position(n)
		before, err := parseHeader([]byte(strings.TrimSuffix(s.lines[file][i], "\n")))
		if err != nil {
			t.Fatal(err)
		}
		forged := full()
		forged.Seq, forged.Prev = before.seq+1, before.hash // as good as one can forge it
		line := rapid.SampledFrom([]string{string(encode(nil, &forged)), s.lines[file][i], "\n", "x\n"}).Draw(t, "inserted")
		if n == s.count()-1 && line[0] == '{' && line != s.lines[file][i] {
			t.Skip("a good record at the end is not an insertion, but an append")
		}
		report := s.verifyChanged(t, func(lines [][]string) { lines[file] = slices.Insert(lines[file], i+1, line) })
		if report.OK() {
			t.Fatalf("nothing found behind line %d", n)
		}
		first := report.Problems[0]
		nextFile, next := file, i+2
		if i+1 == len(s.lines[file]) && first.Line == 1 {
			nextFile, next = file+1, 1
		}
		if first.Segment != filepath.Base(s.files[nextFile]) || first.Line < next || first.Line > i+3 {
			t.Fatalf("inserted behind line %d of segment %d: %v", i+1, file, report.Problems)
		}
	})
}

func TestAnyTwoRecordsThatAreSwappedAreFound(t *testing.T) {
	s := newSample(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(0, s.count()-2).Draw(t, "a")
		b := rapid.IntRange(a+1, s.count()-1).Draw(t, "b")
		fileA, i := s.position(a)
		fileB, j := s.position(b)
		report := s.verifyChanged(t, func(lines [][]string) {
			lines[fileA][i], lines[fileB][j] = lines[fileB][j], lines[fileA][i]
		})
		s.wantFirst(t, report, a)
	})
}

func TestProblemsSayWhatHappened(t *testing.T) {
	s := newSample(t, 8)
	lines := s.lines[0]
	tests := map[string]struct {
		lines []string
		want  []string
	}{
		"one removed": {[]string{lines[0], lines[2]}, []string{"2: record 2 before it is missing"}},
		"two removed": {[]string{lines[0], lines[3]}, []string{"2: records 2 to 3 before it are missing"}},
		"repeated":    {[]string{lines[0], lines[0]}, []string{"2: out of order: record 1 comes after record 1"}},
		"moved": {[]string{lines[1], lines[0]}, []string{
			"1: record 1 before it is missing", "2: out of order: record 1 comes after record 2",
		}},
		"changed": {[]string{strings.Replace(lines[0], "ada", "eve", 1)}, []string{
			"1: the record was changed: its hash does not fit",
		}},
		"another start": {[]string{strings.Replace(lines[0], `"prev":"0`, `"prev":"1`, 1)}, []string{
			"1: the first record names one before it", "1: the record was changed: its hash does not fit",
		}},
		"half written": {[]string{lines[0], "{"}, []string{"2: the last 1 bytes are a half-written record"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "00000001-x.jsonl"), []byte(strings.Join(test.lines, "")))
			var got []string
			for _, p := range verify(t, dir).Problems {
				if what := strings.TrimPrefix(p.String(), "00000001-x.jsonl:"); !strings.Contains(what, "call \"") {
					got = append(got, what)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMissingSegmentsAreFound(t *testing.T) {
	s := newSample(t, 10)
	tests := map[string]struct {
		remove []int
		want   []string
	}{
		"the first": {[]int{0}, []string{
			"00000002: segment 00000001 before it is missing", "00000002:1: records 1 to 4 before it are missing",
		}},
		"one between": {[]int{1}, []string{
			"00000003: segment 00000002 before it is missing", "00000003:1: records 5 to 8 before it are missing",
		}},
		"two between": {[]int{1, 2}, []string{
			"00000004: segments 00000002 to 00000003 before it are missing",
			"00000004:1: records 5 to 12 before it are missing",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i, path := range s.files {
				if !slices.Contains(test.remove, i) {
					writeFile(t, filepath.Join(dir, filepath.Base(path)), readFile(t, path))
				}
			}
			var got []string
			for _, p := range verify(t, dir).Problems {
				p.Segment = p.Segment[:8]
				if !strings.Contains(p.What, "call ") { // of which the intents are gone too
					got = append(got, p.String())
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnchorsProveTheEnd(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	written := mustAppend(t, l, calls(3)...)
	head := func(i int) Head { return Head{written[i].Seq, written[i].Hash} }
	if report := verify(t, dir, head(1), head(5)); !report.OK() {
		t.Errorf("sound log: %v", report.Problems)
	}
	path := segmentPaths(t, dir)[0]
	lines := bytes.SplitAfter(readFile(t, path), []byte("\n"))
	writeFile(t, path, bytes.Join(lines[:4], nil))

	if report := verify(t, dir); !report.OK() {
		t.Errorf("a cut end cannot be seen without an anchor, but: %v", report.Problems)
	}
	got := verify(t, dir, head(1), head(5), Head{2, strings.Repeat("f", 64)}).Problems
	want := []Problem{
		{filepath.Base(path), 0, 2, "record 2 is not the one that had been written"},
		{filepath.Base(path), 0, 6, "the log ends with record 4, but record 6 had been written"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestRewrittenRecordBreaksTheNextOne(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	written := mustAppend(t, l, calls(2)...)
	forged := written[1]
	forged.AgentID = "eve"
	path := segmentPaths(t, dir)[0]
	lines := bytes.SplitAfter(readFile(t, path), []byte("\n"))
	lines[1] = encode(nil, &forged)
	writeFile(t, path, bytes.Join(lines, nil))

	want := []Problem{{filepath.Base(path), 3, 3, "record 2 is not the one that record 3 was written after"}}
	if diff := cmp.Diff(want, verify(t, dir).Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestCallsArePaired(t *testing.T) {
	intent := func(id string) Record { return call(id, "a", "s", "t")[0] }
	outcome := func(id string) Record { return call(id, "a", "s", "t")[1] }
	denied := Outcome(messages.CallResult{CallID: "d", Outcome: messages.Denied}, messages.Decision{})
	tests := map[string]struct {
		records    []Record
		problems   []string
		unfinished []string
	}{
		"interleaved":  {records: []Record{intent("a"), intent("b"), outcome("a"), outcome("b")}},
		"denied":       {records: []Record{intent("d"), denied}},
		"other events": {records: []Record{intent("a"), {EventType: "call.started", CallID: "a"}, outcome("a")}},
		"no outcome": {
			records:    []Record{intent("z"), intent("b"), outcome("b"), intent("a")},
			unfinished: []string{"z", "a"},
		},
		"no intent": {
			records:  []Record{outcome("a")},
			problems: []string{`outcome without an intent before it: call "a"`},
		},
		"outcome first": {
			records:    []Record{outcome("a"), intent("a")},
			problems:   []string{`outcome without an intent before it: call "a"`},
			unfinished: []string{"a"},
		},
		"two outcomes": {
			records:  []Record{intent("a"), outcome("a"), outcome("a")},
			problems: []string{`second outcome: call "a"`},
		},
		"two intents": {
			records:  []Record{intent("a"), intent("a"), outcome("a")},
			problems: []string{`second intent: call "a"`},
		},
		"an id used again": {
			records:  []Record{intent("a"), outcome("a"), intent("a")},
			problems: []string{`second intent: call "a"`},
		},
		"ids with newlines": {records: []Record{intent("a\nb"), outcome("a\nb"), intent("\xff")}, unfinished: []string{`\xff`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustAppend(t, openLog(t, dir, Options{}), test.records...)
			report := verify(t, dir)
			var problems []string
			for _, p := range report.Problems {
				problems = append(problems, p.What)
			}
			if diff := cmp.Diff(test.problems, problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]string{}, test.unfinished...), report.Unfinished); diff != "" {
				t.Errorf("unfinished (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLedgerForgetsInBoundedMemory(t *testing.T) {
	l := newLedger()
	for i := range 3 * remembered {
		id := fmt.Sprint(i)
		l.enter(header{eventType: ToolIntent, callID: id})
		if what := l.enter(header{eventType: SkillExecuted, callID: id}); what != "" {
			t.Fatal(what)
		}
	}
	if len(l.ended) != remembered || len(l.ring) != remembered || len(l.open) != 0 {
		t.Errorf("%d ended, %d in the ring, %d open", len(l.ended), len(l.ring), len(l.open))
	}
	for id, want := range map[int]string{0: "outcome without an intent before it", 3*remembered - 1: "second outcome"} {
		if got := l.enter(header{eventType: SkillExecuted, callID: fmt.Sprint(id)}); got != want {
			t.Errorf("outcome of %d: %q, want %q", id, got, want)
		}
	}
}

func TestVerifyReportsWhatIsNoSegment(t *testing.T) {
	dir := t.TempDir()
	mustAppend(t, openLog(t, dir, Options{}), calls(1)...)
	if err := unix.Mkfifo(filepath.Join(dir, "00000002-x.jsonl"), 0o600); err != nil {
		t.Skip(err)
	}
	writeFile(t, filepath.Join(dir, "00000002-y.jsonl"), nil)
	writeFile(t, filepath.Join(dir, "notes.txt"), []byte("not ours"))
	want := []Problem{
		{"00000002-x.jsonl", 0, 0, "not a file that can be read"}, {"00000002-y.jsonl", 0, 0, "there is another segment 00000002"},
	}
	if diff := cmp.Diff(want, verify(t, dir).Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestVerifyBoundsItsReport(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "00000001-x.jsonl"), bytes.Repeat([]byte("x\n"), maxProblems+7))
	report := verify(t, dir)
	if len(report.Problems) != maxProblems || report.Omitted != 7 {
		t.Errorf("%d problems and %d more", len(report.Problems), report.Omitted)
	}
}

func TestVerifyReadsOnBehindALineOfAnyLength(t *testing.T) {
	dir := t.TempDir()
	mustAppend(t, openLog(t, dir, Options{}), calls(1)...)
	path := segmentPaths(t, dir)[0]
	long := append(bytes.Repeat([]byte("x"), maxLine+1), '\n')
	writeFile(t, path, append(long, readFile(t, path)...))
	want := []Problem{{filepath.Base(path), 1, 0, "the line has 16777218 bytes, more than any record"}}
	if diff := cmp.Diff(want, verify(t, dir).Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestVerifyWhileTheLogIsWritten(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{SegmentSize: 20_000})
	stop := make(chan struct{})
	halt := sync.OnceFunc(func() { close(stop) })
	defer halt()
	verified := make(chan error, 1)
	spawn(t, func() {
		defer close(verified)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if report, err := Verify(dir); err != nil || !report.OK() {
				verified <- fmt.Errorf("%v, %w", report.Problems, err)
				return
			}
		}
	})
	for i := range 1000 {
		mustAppend(t, l, call(fmt.Sprint(i), "a", "s", strings.Repeat("t", i))...)
	}
	halt()
	if err := <-verified; err != nil {
		t.Error(err)
	}
	wantSound(t, dir, 2000)
}

// verifyAtOnce is Verify of a log that nobody writes to.
func verifyAtOnce(t *testing.T, dir string) Report {
	t.Helper()
	v := newVerifier(nil)
	v.patience = 0
	if err := v.readLog(dir); err != nil {
		t.Fatal(err)
	}
	return v.finish()
}

func FuzzVerify(f *testing.F) {
	r := full()
	r.Seq, r.Prev = 1, genesis.Hash
	good := encode(nil, &r)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(append(bytes.Clone(good), good...))
	f.Add([]byte("{\"seq\":1,\"event_id\":\"\\\"\n\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "00000001-x.jsonl"), data)
		report := verifyAtOnce(t, dir)
		// Every byte belongs to a record that is sound, or there is a problem.
		if report.OK() && report.Records != int64(bytes.Count(data, []byte("\n"))) {
			t.Errorf("%d records and no problem in %q", report.Records, data)
		}
		// Whatever lies there, the log can go on, and everything that was in it still is.
		l := openLog(t, dir, Options{})
		mustAppend(t, l, Fact(SupervisorStarted, nil))
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		if !bytes.HasPrefix(readFile(t, segmentPaths(t, dir)[0]), whole) {
			t.Error("a line was changed")
		}
		if after := verifyAtOnce(t, dir); after.Records < report.Records+1 || after.Head != l.Head() {
			t.Errorf("before %+v, after %+v", report, after)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
