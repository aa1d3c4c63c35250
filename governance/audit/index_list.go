package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// DefaultLimit is how many records List returns when the filter does not say: some screens full.
const DefaultLimit = 100

// Filter says which records List returns. Fields that are zero let everything pass; texts must be equal.
type Filter struct {
	Agent     string
	Server    string
	Tool      string
	Outcome   messages.Outcome
	EventType EventType
	Run       string
	CallID    string
	// Since is the earliest time and Until the first one that is too late.
	Since, Until time.Time
	// AfterSeq leaves out the records up to this number.
	AfterSeq int64
	// Limit is the largest number of records; 0 means DefaultLimit. Where there are more, the newest are returned; with
	// AfterSeq the ones that follow it, so that a reader can follow the log without a gap.
	Limit int
}

// List returns the records that pass f, newest last, as they stand in the log now. It sees what is indexed: call
// CatchUp before to see everything. When the index turns out not to fit the log it is built anew first.
func (ix *Index) List(ctx context.Context, f Filter) ([]Record, error) {
	records, err := ix.list(ctx, f)
	if err != nil && rebuildable(err) {
		if err := ix.Reindex(ctx); err != nil {
			return nil, err
		}
		records, err = ix.list(ctx, f)
	}
	if err != nil {
		return nil, fmt.Errorf("search the audit log: %w", err)
	}
	return records, nil
}

func (ix *Index) list(ctx context.Context, f Filter) ([]Record, error) {
	places, err := ix.find(ctx, f)
	if err != nil {
		return nil, err
	}
	records := make([]Record, 0, len(places))
	for _, p := range places {
		r, err := readRecord(ix.dir, p)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// readRecord reads the record at p from its segment.
func readRecord(dir string, p place) (Record, error) {
	line, err := readPlace(dir, p)
	if err != nil {
		return Record{}, errors.Join(errMisplaced, err)
	}
	r, err := decode(line)
	if err != nil || r.Seq != p.seq {
		return Record{}, fmt.Errorf("record %d at byte %d of %s: %w", p.seq, p.offset, p.segment, errMisplaced)
	}
	return r, nil
}

// find returns where the records that pass f are, oldest first.
func (ix *Index) find(ctx context.Context, f Filter) (found []place, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	query, args := f.query()
	rows, err := ix.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p place
		if err := rows.Scan(&p.seq, &p.segment, &p.offset, &p.size); err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	if f.AfterSeq == 0 {
		slices.Reverse(found)
	}
	return found, rows.Err()
}

func (f Filter) query() (string, []any) {
	var where []string
	var args []any
	need := func(wanted bool, condition string, arg any) {
		if wanted {
			where, args = append(where, condition), append(args, arg)
		}
	}
	equal := func(column, value string) { need(value != "", column+" = ? AND "+column+" != ''", value) }
	equal("agent", f.Agent)
	equal("server", f.Server)
	equal("tool", f.Tool)
	equal("outcome", string(f.Outcome))
	equal("event_type", string(f.EventType))
	equal("run", f.Run)
	equal("call_id", f.CallID)
	need(!f.Since.IsZero(), "time >= ?", f.Since.UnixNano())
	need(!f.Until.IsZero(), "time < ?", f.Until.UnixNano())
	need(f.AfterSeq > 0, "seq > ?", f.AfterSeq)

	order, limit := "DESC", f.Limit
	if f.AfterSeq > 0 {
		order = "ASC"
	}
	if limit <= 0 {
		limit = DefaultLimit
	}
	query := "SELECT seq, segment, offset, size FROM records"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	return query + " ORDER BY seq " + order + " LIMIT ?", append(args, limit)
}
