package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

func TestAppendGivesEachRecordItsPlace(t *testing.T) {
	now := time.Date(2026, 5, 6, 7, 8, 9, 10, time.FixedZone("east", 7200))
	dir := filepath.Join(t.TempDir(), "state", "audit")
	notified := 0
	l := openLog(t, dir, Options{now: func() time.Time { return now }, Notify: func() { notified++ }})
	written := mustAppend(t, l, Fact(SupervisorStarted, nil), Record{EventType: "x", Seq: 9, Prev: "mine", Hash: "mine"})

	if at := written[1].Timestamp; !at.Equal(now) || at.Location() != time.UTC {
		t.Errorf("timestamp = %v, want %v in UTC", at, now)
	}
	if diff := cmp.Diff([]int64{1, 2}, seqs(written)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if written[0].Prev != strings.Repeat("0", 64) || written[1].Prev != written[0].Hash {
		t.Errorf("chain = %+v", written)
	}
	if id, err := uuid.Parse(written[0].EventID); err != nil || id.Version() != 7 || written[0].EventID == written[1].EventID {
		t.Errorf("event ids %s, %s", written[0].EventID, written[1].EventID)
	}
	if want := (Head{2, written[1].Hash}); l.Head() != want || notified != 2 {
		t.Errorf("head %v after %d notifications, want %v after 2", l.Head(), notified, want)
	}
	wantSound(t, dir, 2)
}

func TestLogIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	mustAppend(t, openLog(t, dir, Options{}), calls(1)...)
	for path, want := range map[string]os.FileMode{dir: 0o700, segmentPaths(t, dir)[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

func TestOpenGoesOnWithTheChain(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		l := openLog(t, dir, Options{Sync: true})
		mustAppend(t, l, calls(1)...)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(segmentPaths(t, dir)); n != 1 {
		t.Errorf("%d segments, want 1", n)
	}
	report := verify(t, dir)
	if report.Records != 6 || len(report.Problems) != 4 { // the same two calls three times
		t.Errorf("report = %+v", report)
	}
}

func TestEmptyLogIsInOrder(t *testing.T) {
	for name, dir := range map[string]string{
		"no folder":    filepath.Join(t.TempDir(), "missing"),
		"empty folder": t.TempDir(),
	} {
		t.Run(name, func(t *testing.T) {
			want := Report{Problems: []Problem{}, Unfinished: []string{}}
			if diff := cmp.Diff(want, verify(t, dir)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			mustAppend(t, openLog(t, dir, Options{}), calls(1)...)
			wantSound(t, dir, 2)
		})
	}
}

func TestSegmentsRotateBySizeInOneChain(t *testing.T) {
	dir := t.TempDir()
	const limit = 4000
	for range 2 { // the second Open starts in a segment that is not the first
		l := openLog(t, dir, Options{SegmentSize: limit, Sync: true})
		mustAppend(t, l, Fact(SupervisorStarted, nil))
		for range 20 {
			mustAppend(t, l, Fact(ConfigLoaded, map[string]string{"a": strings.Repeat("x", 300)}))
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	paths := segmentPaths(t, dir)
	if len(paths) < 4 {
		t.Errorf("%d segments", len(paths))
	}
	for _, path := range paths {
		if size := len(readFile(t, path)); size == 0 || size > limit {
			t.Errorf("%s has %d bytes", path, size)
		}
	}
	wantSound(t, dir, 42)
}

func TestRecordLargerThanASegmentGetsOneOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{SegmentSize: 10})
	mustAppend(t, l, calls(2)...)
	if n := len(segmentPaths(t, dir)); n != 4 {
		t.Errorf("%d segments, want 4", n)
	}
	wantSound(t, dir, 4)
}

func TestRefusedRecordsLeaveNoTrace(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	if _, err := l.Append(Record{}); err == nil {
		t.Error("a record without an event type was written")
	}
	_, err := l.Append(Record{EventType: "x", Tool: strings.Repeat("x", maxLine)})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("Append of a huge record = %v", err)
	}
	mustAppend(t, l, calls(1)...)
	wantSound(t, dir, 2)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(calls(1)[0]); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Append after Close = %v", err)
	}
}

func TestWorstArgumentsFitIntoARecord(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	mustAppend(t, l, Record{EventType: "x", Arguments: bytes.Repeat([]byte{1}, MaxArguments)})
	wantSound(t, dir, 1)
}

// lastRecovery is the payload of the first audit.recovered in the newest segment.
func lastRecovery(t *testing.T, dir string) recovery {
	t.Helper()
	paths := segmentPaths(t, dir)
	lines := bytes.Split(bytes.TrimSpace(readFile(t, paths[len(paths)-1])), []byte("\n"))
	for _, line := range lines {
		r, err := decode(line)
		if err != nil || r.EventType != Recovered {
			continue
		}
		var found recovery
		if err := json.Unmarshal(r.Payload, &found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	t.Fatal("the newest segment has no audit.recovered")
	return recovery{}
}

func TestTornTailIsCutSavedAndReported(t *testing.T) {
	whole := encodeLine(full())
	tests := map[string]string{
		"half a record":            whole[:100],
		"a record without its end": whole,
		"one byte":                 "{",
		"zeros":                    strings.Repeat("\x00", 5000),
		"longer than a chunk":      strings.Repeat("x", 300_000),
	}
	for name, torn := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := openLog(t, dir, Options{})
			mustAppend(t, l, calls(2)...)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			path := segmentPaths(t, dir)[0]
			sound := readFile(t, path)
			writeFile(t, path, append(bytes.Clone(sound), torn...))
			if report := verify(t, dir); len(report.Problems) != 1 || report.Records != 4 {
				t.Errorf("before the repair: %+v", report)
			}

			l = openLog(t, dir, Options{})
			mustAppend(t, l, Fact(SupervisorStarted, nil))
			wantSound(t, dir, 6)
			if !bytes.HasPrefix(readFile(t, path), sound) {
				t.Error("an acknowledged record was changed")
			}
			got := lastRecovery(t, dir)
			if got.Bytes != int64(len(torn)) || got.Segment != filepath.Base(path) {
				t.Errorf("recovery = %+v", got)
			}
			if saved := string(readFile(t, filepath.Join(dir, got.SavedAs))); saved != torn {
				t.Errorf("saved %d bytes, want %d", len(saved), len(torn))
			}
		})
	}
}

func TestTornFirstRecord(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "00000001-x.jsonl"), []byte(`{"seq":1,`))
	openLog(t, dir, Options{})
	wantSound(t, dir, 1)
}

func TestEmptyNewestSegmentIsUsed(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	mustAppend(t, l, calls(1)...)
	// The supervisor was killed between making a segment and its first record, twice.
	writeFile(t, filepath.Join(dir, "00000002-x.jsonl"), nil)
	writeFile(t, filepath.Join(dir, "00000003-x.jsonl"), nil)
	mustAppend(t, openLog(t, dir, Options{}), Fact(SupervisorStarted, nil))
	wantSound(t, dir, 3)
	if got := readFile(t, filepath.Join(dir, "00000003-x.jsonl")); len(got) == 0 {
		t.Error("the newest segment is still empty")
	}
}

func TestCorruptLastLineStaysAndIsReported(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	mustAppend(t, l, calls(2)...)
	path := segmentPaths(t, dir)[0]
	writeFile(t, path, append(readFile(t, path), "rubbish\nmore\n"...))

	mustAppend(t, openLog(t, dir, Options{}), Fact(SupervisorStarted, nil))
	if got := lastRecovery(t, dir); got.Lines != 2 || got.Bytes != 0 {
		t.Errorf("recovery = %+v", got)
	}
	want := []Problem{
		{filepath.Base(path), 5, 0, "not a record"}, {filepath.Base(path), 6, 0, "not a record"},
	}
	report := verify(t, dir)
	if diff := cmp.Diff(want, report.Problems); diff != "" || report.Records != 6 {
		t.Errorf("%d records, problems (-want +got):\n%s", report.Records, diff)
	}
}

func TestChangedLastRecordDoesNotStopTheLog(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	mustAppend(t, l, calls(2)...)
	path := segmentPaths(t, dir)[0]
	data := readFile(t, path)
	i := bytes.LastIndex(data, []byte(`"agent_id":"ada"`))
	data[i+13] = 'b'
	writeFile(t, path, data)

	mustAppend(t, openLog(t, dir, Options{}), Fact(SupervisorStarted, nil))
	report := verify(t, dir)
	if len(report.Problems) != 1 || report.Problems[0].Line != 4 || report.Records != 5 {
		t.Errorf("report = %+v, want the one problem in line 4", report)
	}
}

func TestLogGoesOnWhenSomebodyTouchesItsSegment(t *testing.T) {
	tests := map[string]struct {
		touch  func(t *testing.T, path string)
		reason string
		gone   bool // whether the records before are
	}{
		"removed": {
			touch: func(t *testing.T, path string) {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			},
			reason: "the segment was removed while in use", gone: true,
		},
		"folder removed": {
			touch: func(t *testing.T, path string) {
				if err := os.RemoveAll(filepath.Dir(path)); err != nil {
					t.Fatal(err)
				}
			},
			reason: "the segment was removed while in use", gone: true,
		},
		"written by somebody else": {
			touch:  func(t *testing.T, path string) { writeFile(t, path, append(readFile(t, path), "half a lin"...)) },
			reason: "bytes instead of",
		},
		"truncated": {
			touch:  func(t *testing.T, path string) { writeFile(t, path, nil) },
			reason: "the segment has 0 bytes instead of", gone: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "audit")
			l := openLog(t, dir, Options{})
			before := mustAppend(t, l, calls(2)...)
			test.touch(t, segmentPaths(t, dir)[0])
			after := mustAppend(t, l, Fact(SupervisorStopped, nil))

			if got := lastRecovery(t, dir); !strings.Contains(got.Reason, test.reason) {
				t.Errorf("recovery = %+v, want %q", got, test.reason)
			}
			report := verify(t, dir, Head{4, before[3].Hash})
			if report.OK() || report.Head.Hash != after[0].Hash {
				t.Errorf("report = %+v, want a problem and the last record as head", report)
			}
			want := int64(6)
			if test.gone {
				want = 2
			}
			if report.Records != want {
				t.Errorf("%d records, want %d", report.Records, want)
			}
		})
	}
}

func TestRecordThatCouldNotBeSyncedIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{Sync: true})
	mustAppend(t, l, calls(1)...)
	r := full()
	fd := l.seg.fd
	l.seg.fd = -1 // fdatasync says EBADF, and ftruncate too
	if err := l.seg.append(encode(nil, &r), true); !errors.Is(err, unix.EBADF) {
		t.Fatalf("append without a sync = %v", err)
	}
	l.seg.fd = fd
	if report := verify(t, dir); report.OK() {
		t.Fatal("the record was not written at all")
	}
	mustAppend(t, l, Fact(SupervisorStopped, nil))
	wantSound(t, dir, 3)
}

func TestOpenSaysWhatIsWrongWithTheFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	writeFile(t, path, nil)
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Open of a file = %v, want an error that names it", err)
	}
}
