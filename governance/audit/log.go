package audit

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
)

const (
	// SegmentSize is where a new segment starts unless Options says otherwise. 64 MiB is some hundred thousand records:
	// small enough to copy and drop, large enough that a year has few of them.
	SegmentSize = 64 << 20
	// maxLine bounds one record, and with it a reader's memory. The worst MaxArguments bytes need 6 MiB when escaped.
	maxLine = 16 << 20
)

// ErrTooLarge is returned by Append for a record of more than 16 MiB. The record is not written; retrying is of no use.
var ErrTooLarge = errors.New("the audit record is larger than 16 MiB")

// Options of a Log. The zero value is good.
type Options struct {
	// SegmentSize is the size in bytes that a segment does not pass, unless by a single record; 0 means SegmentSize.
	SegmentSize int64
	// Sync makes Append wait until the record is on the disk. Without it a record survives the end of the process, but
	// maybe not a power cut.
	Sync bool
	// Notify is called after each Append and must not block: Index.Notify.
	Notify func()

	now func() time.Time
}

// Log appends to the audit log in one folder. It belongs to one goroutine at a time.
type Log struct {
	dir  string
	o    Options
	head Head
	seg  *segment // the newest one; nil until the first record of a new log
	next int      // the number of the segment after it
	// found is a repair that the log does not tell of yet.
	found  *recovery
	buf    []byte
	closed bool
}

// Open opens the log in dir to append to it, and creates dir (0700) where it is missing. The caller makes sure that no
// other process has it open.
//
// Only the last record is read: whether the log is unchanged is Verify's business. A half-written last line is moved to
// a side file and reported in the log (audit.recovered); lines at the end that are no records stay where they are, and
// the chain goes on from the record before them.
func Open(dir string, o Options) (*Log, error) {
	l := &Log{dir: dir, o: o.withDefaults(), next: 1}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the audit folder: %w", err)
	}
	if err := l.resume(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if err := l.report(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (o Options) withDefaults() Options {
	if o.SegmentSize <= 0 {
		o.SegmentSize = SegmentSize
	}
	if o.Notify == nil {
		o.Notify = func() {}
	}
	if o.now == nil {
		o.now = time.Now
	}
	return o
}

// Append writes r as the next record and returns it with what Append gives it: Seq, EventID, Timestamp, Prev, Hash.
//
// When it returns, the record survives the end of this process. On an error the log is as it was, and a later Append
// may succeed. It must not run concurrently with another method of l.
func (l *Log) Append(r Record) (Record, error) {
	if r.EventType == "" {
		return Record{}, errors.New("append an audit record: it has no event type")
	}
	if l.closed {
		return Record{}, fmt.Errorf("append an audit record: %w", os.ErrClosed)
	}
	if err := l.checkSegment(); err != nil {
		return Record{}, fmt.Errorf("append an audit record: %w", err)
	}
	return l.append(r)
}

// Head is the last record's place in the chain. Kept elsewhere, it lets Verify prove that the end is not missing.
func (l *Log) Head() Head { return l.head }

// Close closes the log. It does not wait for the disk unless Options.Sync is set.
func (l *Log) Close() error {
	l.closed = true
	if l.seg == nil {
		return nil
	}
	seg := l.seg
	l.seg = nil
	return seg.close(l.o.Sync)
}

func (l *Log) append(r Record) (Record, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Record{}, fmt.Errorf("append an audit record: %w", err)
	}
	r.Seq, r.EventID, r.Timestamp, r.Prev = l.head.Seq+1, id.String(), l.o.now().UTC(), l.head.Hash
	line := l.encode(&r)
	if len(line) > maxLine {
		return Record{}, fmt.Errorf("append a record of %d bytes: %w", len(line), ErrTooLarge)
	}
	if err := l.makeRoom(int64(len(line))); err != nil {
		return Record{}, err
	}
	if err := l.seg.append(line, l.o.Sync); err != nil {
		return Record{}, err
	}
	l.head = Head{r.Seq, r.Hash}
	l.o.Notify()
	return r, nil
}

// encode reuses one buffer, but gives a huge one back.
func (l *Log) encode(r *Record) []byte {
	line := encode(l.buf[:0], r)
	if cap(line) <= 1<<20 {
		l.buf = line
	}
	return line
}

// makeRoom starts a new segment when n more bytes do not fit into this one.
func (l *Log) makeRoom(n int64) error {
	if l.seg != nil && (l.seg.size == 0 || l.seg.size+n <= l.o.SegmentSize) {
		return nil
	}
	return l.rotate()
}

// rotate starts a new segment. On an error the old one stays in use.
func (l *Log) rotate() error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("create the audit folder: %w", err)
	}
	seg, err := createSegment(l.dir, l.next, l.o.now())
	if err != nil {
		return err
	}
	if l.o.Sync {
		if err := syncFolder(l.dir); err != nil {
			return errors.Join(err, seg.file.Close(), os.Remove(seg.file.Name()))
		}
	}
	if l.seg != nil {
		// Every record in it was acknowledged according to Options.Sync; there is nothing left that closing could lose.
		_ = l.seg.file.Close()
	}
	l.seg, l.next = seg, l.next+1
	return nil
}

// syncFolder makes a new file's name survive a power cut.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync the audit folder: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
