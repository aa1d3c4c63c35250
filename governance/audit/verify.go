package audit

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// maxProblems bounds a report on a file that is rubbish from end to end.
const maxProblems = 1000

// Report is what Verify found.
type Report struct {
	Records  int64 `json:"records"`
	Segments int   `json:"segments"`
	// Head is the last record. Seq is 0 for an empty log.
	Head Head `json:"head"`
	// Problems are in the order of the log, at most 1000; Omitted counts the rest.
	Problems []Problem `json:"problems"`
	Omitted  int       `json:"omitted,omitempty"`
	// Unfinished are the ids of the calls that have an intent and no outcome, oldest first: calls in flight when the
	// supervisor was killed, or now. They are no problem of the log's.
	Unfinished []string `json:"unfinished"`
}

// OK reports whether nothing is wrong with the log.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// Problem is one place where the log is not as it was written.
type Problem struct {
	Segment string `json:"segment,omitempty"` // the file's name
	Line    int    `json:"line,omitempty"`    // from 1; 0 when the whole segment is meant
	Seq     int64  `json:"seq,omitempty"`     // the record's number, as it stands there
	What    string `json:"what"`
}

func (p Problem) String() string {
	switch {
	case p.Segment == "":
		return p.What
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.Segment, p.What)
	}
	return fmt.Sprintf("%s:%d: %s", p.Segment, p.Line, p.What)
}

// Verify reads the whole log in dir and reports what is wrong with it. Its memory does not grow with the log, but for
// the calls that are open at one time.
//
// Anchors are heads that were kept elsewhere: each must be a record of the log. Without one, records that are missing
// at the very end cannot be noticed. A log without any record is in order. The error says that the log could not be
// read, and then the report is of what was read before.
//
// It may run while the log is written to; then calls in flight are among the unfinished.
func Verify(dir string, anchors ...Head) (Report, error) {
	v := newVerifier(anchors)
	err := v.readLog(dir)
	return v.finish(), err
}

type verifier struct {
	report  Report
	prev    Head // the record before, as it stands there
	calls   *ledger
	anchors map[int64]string // those not met yet
	// patience is how long a half-written last line may take to grow. A live writer needs microseconds.
	patience time.Duration

	file segmentFile
	line int
}

func newVerifier(anchors []Head) *verifier {
	v := &verifier{prev: genesis, calls: newLedger(), anchors: map[int64]string{}, patience: 50 * time.Millisecond}
	v.report.Problems = []Problem{} // an empty list in JSON, and not null
	for _, a := range anchors {
		v.anchors[a.Seq] = a.Hash
	}
	return v
}

func (v *verifier) readLog(dir string) error {
	files, err := listSegments(dir)
	if err != nil {
		return err
	}
	for i, file := range files {
		if err := v.readSegment(dir, file, i == len(files)-1); err != nil {
			return fmt.Errorf("verify audit segment %s: %w", file.name, err)
		}
	}
	v.checkAnchors()
	return nil
}

func (v *verifier) finish() Report {
	if v.prev != genesis {
		v.report.Head = v.prev
	}
	v.report.Unfinished = v.calls.unfinished()
	return v.report
}

func (v *verifier) problem(seq int64, format string, args ...any) {
	if len(v.report.Problems) == maxProblems {
		v.report.Omitted++
		return
	}
	v.report.Problems = append(v.report.Problems, Problem{v.file.name, v.line, seq, fmt.Sprintf(format, args...)})
}

// follow checks that file is the segment after the one before.
func (v *verifier) follow(file segmentFile) {
	before := v.file.number
	v.file, v.line = file, 0
	v.report.Segments++
	switch missing := file.number - before - 1; {
	case missing == 1:
		v.problem(0, "segment %08d before it is missing", before+1)
	case missing > 1:
		v.problem(0, "segments %08d to %08d before it are missing", before+1, file.number-1)
	case missing < 0:
		v.problem(0, "there is another segment %08d", file.number)
	}
}

func (v *verifier) readSegment(dir string, file segmentFile, last bool) (err error) {
	v.follow(file)
	path := filepath.Join(dir, file.name)
	// Opening a pipe would wait for a writer.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		v.problem(0, "not a file that can be read")
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := newLineReader(f, 0)
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if line.torn && last && v.grows(f, line) {
			if _, err := f.Seek(line.offset, io.SeekStart); err != nil {
				return err
			}
			lines = newLineReader(f, line.offset)
			continue
		}
		v.line++
		v.check(line)
	}
}

// grows reports whether a torn last line is one that is being written just now.
func (v *verifier) grows(f *os.File, line rawLine) bool {
	time.Sleep(v.patience)
	info, err := f.Stat()
	return err == nil && info.Size() > line.offset+line.size
}

func (v *verifier) check(line rawLine) {
	h, err := parseHeader(line.text)
	switch {
	case line.torn:
		v.problem(0, "the last %d bytes are a half-written record", line.size)
		return
	case line.size > maxLine:
		v.problem(0, "the line has %d bytes, more than any record", line.size)
		return
	case err != nil:
		v.problem(0, "not a record")
		return
	}
	v.report.Records++
	v.checkLink(h)
	if hashOf(h.body) != h.hash {
		v.problem(h.seq, "the record was changed: its hash does not fit")
	}
	if what := v.calls.enter(h); what != "" {
		v.problem(h.seq, "%s: call %q", what, h.callID)
	}
	if want, ok := v.anchors[h.seq]; ok && want == h.hash {
		delete(v.anchors, h.seq)
	}
	v.prev = Head{h.seq, h.hash}
}

// checkLink checks that a record follows the one before. What comes after a break is checked against the record at
// the break, so that one break is reported once.
func (v *verifier) checkLink(h header) {
	next := v.prev.Seq + 1
	switch {
	case h.seq == next+1:
		v.problem(h.seq, "record %d before it is missing", next)
	case h.seq > next:
		v.problem(h.seq, "records %d to %d before it are missing", next, h.seq-1)
	case h.seq < next:
		v.problem(h.seq, "out of order: record %d comes after record %d", h.seq, v.prev.Seq)
	case h.prev != v.prev.Hash && h.seq == 1:
		v.problem(h.seq, "the first record names one before it")
	case h.prev != v.prev.Hash:
		v.problem(h.seq, "record %d is not the one that record %d was written after", v.prev.Seq, h.seq)
	}
}

// checkAnchors reports the heads that the log does not have. It runs at the end, where a cut tail is missing.
func (v *verifier) checkAnchors() {
	v.line = 0
	for _, seq := range slices.Sorted(maps.Keys(v.anchors)) {
		if seq > v.prev.Seq {
			v.problem(seq, "the log ends with record %d, but record %d had been written", v.prev.Seq, seq)
		} else if seq > 0 {
			v.problem(seq, "record %d is not the one that had been written", seq)
		}
	}
}
