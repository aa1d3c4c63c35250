package audit

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// batch is how many records go into one transaction: enough to make its cost small, few enough to be seen soon.
const batch = 2000

// errMisplaced says that the segments are not those that were indexed.
var errMisplaced = errors.New("the audit index does not fit the segments")

// place is where a record is.
type place struct {
	seq          int64
	segment      string
	offset, size int64
	hash         string // of the record there; only where an index ends
}

// tail indexes what the log has behind the place where the index ends.
func tail(ctx context.Context, db *sql.DB, dir string) error {
	at, err := lastPlace(ctx, db)
	if err != nil {
		return err
	}
	files, err := filesFrom(dir, at)
	if err != nil {
		return err
	}
	for _, file := range files {
		offset := int64(0)
		if file.name == at.segment {
			offset = at.offset + at.size
		}
		if err := tailFile(ctx, db, dir, file.name, offset); err != nil {
			return fmt.Errorf("index audit segment %s: %w", file.name, err)
		}
	}
	return nil
}

func lastPlace(ctx context.Context, db *sql.DB) (place, error) {
	var p place
	err := db.QueryRowContext(ctx, "SELECT seq, segment, offset, size, hash FROM place").
		Scan(&p.seq, &p.segment, &p.offset, &p.size, &p.hash)
	if errors.Is(err, sql.ErrNoRows) {
		return place{}, nil
	}
	return p, err
}

// filesFrom returns the segments that are not indexed to their end, if the last indexed record is still where it was.
// It may not be: a record whose disk sync failed is taken back, and folders get restored from backups.
func filesFrom(dir string, at place) ([]segmentFile, error) {
	files, err := listSegments(dir)
	if err != nil || at == (place{}) {
		return files, err
	}
	i := slices.IndexFunc(files, func(f segmentFile) bool { return f.name == at.segment })
	if i < 0 {
		return nil, errMisplaced
	}
	line, err := readPlace(dir, at)
	if err != nil || !bytes.HasSuffix(line, []byte(at.hash+`"}`)) {
		return nil, errors.Join(errMisplaced, err)
	}
	return files[i:], nil
}

// readPlace returns the line at p without its end.
func readPlace(dir string, p place) (line []byte, err error) {
	f, err := os.Open(filepath.Join(dir, p.segment))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	line = make([]byte, min(p.size, maxLine))
	if _, err := f.ReadAt(line, p.offset); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

// tailFile indexes the whole lines of one segment from offset on, batch by batch.
func tailFile(ctx context.Context, db *sql.DB, dir, name string, offset int64) (err error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	lines := newLineReader(f, offset)
	for more := true; more; {
		if more, err = insertBatch(ctx, db, name, lines); err != nil {
			return err
		}
	}
	return nil
}

const insertRecord = `INSERT OR REPLACE INTO records
	(seq, time, event_type, agent, server, tool, outcome, run, call_id, segment, offset, size)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// insertBatch indexes the next lines and reports whether there are more. Lines that are no records are left out: they
// are Verify's business.
func insertBatch(ctx context.Context, db *sql.DB, name string, lines *lineReader) (more bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	insert, err := tx.PrepareContext(ctx, insertRecord)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	var last place
	for range batch {
		line, err := lines.next()
		more = err == nil && !line.torn
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if !more {
			break
		}
		r, err := decode(line.text)
		if err != nil || line.size > maxLine {
			continue
		}
		last = place{r.Seq, name, line.offset, line.size, r.Hash}
		if _, err := insert.ExecContext(ctx, r.Seq, r.Timestamp.UnixNano(), string(r.EventType), r.AgentID, r.Server,
			r.Tool, string(r.Outcome), r.RunID, r.CallID, name, line.offset, line.size); err != nil {
			return false, err
		}
	}
	if last == (place{}) {
		return more, nil
	}
	if err := setPlace(ctx, tx, last); err != nil {
		return false, err
	}
	return more, tx.Commit()
}

func setPlace(ctx context.Context, tx *sql.Tx, p place) error {
	const set = "INSERT OR REPLACE INTO place (id, seq, segment, offset, size, hash) VALUES (1, ?, ?, ?, ?, ?)"
	_, err := tx.ExecContext(ctx, set, p.seq, p.segment, p.offset, p.size, p.hash)
	return err
}
