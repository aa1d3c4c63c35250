package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// recovery is the payload of an audit.recovered record.
type recovery struct {
	Reason  string `json:"reason"`
	Segment string `json:"segment"`
	// Bytes is how many bytes were cut off, and SavedAs the side file that holds them now.
	Bytes   int64  `json:"bytes,omitempty"`
	SavedAs string `json:"saved_as,omitempty"`
	// Lines is how many lines at the end are no records. They stay where they are.
	Lines int `json:"lines,omitempty"`
}

// resume opens the newest segment, cuts a half-written line off it and finds the head. What it had to repair is left in
// l.found.
func (l *Log) resume() error {
	l.head = genesis
	files, err := listSegments(l.dir)
	if err != nil || len(files) == 0 {
		return err
	}
	newest := files[len(files)-1]
	if l.seg, err = openSegment(l.dir, newest, 0); err != nil {
		return err
	}
	l.next = newest.number + 1
	if err := l.cutTorn(); err != nil {
		return err
	}
	skipped, err := l.findHead(files)
	if err != nil || skipped == 0 {
		return err
	}
	if l.found == nil {
		l.found = &recovery{Reason: "the last lines are no records", Segment: newest.name}
	}
	l.found.Lines = skipped
	return nil
}

// cutTorn moves what lies behind the last line end to a side file. It is no acknowledged record, because Append writes
// line and line end at once; but it may tell somebody what was going on.
func (l *Log) cutTorn() error {
	torn, err := afterLastLine(l.seg.file, l.seg.size)
	if err != nil {
		return fmt.Errorf("read audit segment %s: %w", l.seg.name, err)
	}
	if len(torn) == 0 {
		return nil
	}
	size := l.seg.size - int64(len(torn))
	side := fmt.Sprintf("%s.torn-%d", l.seg.name, size)
	if err := os.WriteFile(filepath.Join(l.dir, side), torn, 0o600); err != nil {
		return fmt.Errorf("save a half-written audit record: %w", err)
	}
	l.seg.size = size
	l.found = &recovery{
		Reason: "half-written last record", Segment: l.seg.name, Bytes: int64(len(torn)), SavedAs: side,
	}
	return l.seg.cut()
}

// findHead looks for the last line that is a record, through the segments backwards, and returns how many lines it had
// to skip.
func (l *Log) findHead(files []segmentFile) (skipped int, err error) {
	for i := len(files) - 1; i >= 0; i-- {
		head, n, err := lastRecord(filepath.Join(l.dir, files[i].name))
		skipped += n
		if err != nil {
			return skipped, fmt.Errorf("find the last audit record: %w", err)
		}
		if head.Seq > 0 {
			l.head = head
			break
		}
	}
	return skipped, nil
}

func lastRecord(path string) (head Head, skipped int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Head{}, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return Head{}, 0, err
	}
	for line, err := range linesBackwards(f, size) {
		if err != nil {
			return Head{}, skipped, err
		}
		if h, err := parseHeader(line); err == nil {
			return Head{h.seq, h.hash}, skipped, nil
		}
		if len(line) > 0 {
			skipped++
		}
	}
	return Head{}, skipped, nil
}

// checkSegment starts a new segment when the file is not as we left it: a record behind somebody else's bytes, or in a
// file that has no name any more, would be lost. What is left of a failed write of ours is cut off instead.
func (l *Log) checkSegment() error {
	if l.seg == nil {
		return l.report()
	}
	if l.seg.torn {
		if err := l.seg.cut(); err != nil {
			return err
		}
	}
	damage, err := l.seg.damage()
	if err != nil {
		return err
	}
	if damage != "" {
		name := l.seg.name
		if err := l.rotate(); err != nil {
			return err
		}
		l.found = &recovery{Reason: damage, Segment: name}
	}
	return l.report()
}

// report records what was repaired.
func (l *Log) report() error {
	if l.found == nil {
		return nil
	}
	_, err := l.append(Fact(Recovered, l.found))
	if err == nil {
		l.found = nil
	}
	return err
}
