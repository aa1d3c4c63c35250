package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

const (
	// lag is how long the log must be quiet before the index takes a look, so that it does not compete with calls: a row
	// costs more than the record it points to. List after CatchUp misses nothing all the same.
	lag = 250 * time.Millisecond
	// maxLag bounds the wait while the log is never quiet.
	maxLag = 10 * time.Second
)

// ErrIndexClosed is returned by an Index's methods after Close, and after its goroutine crashed.
var ErrIndexClosed = errors.New("the audit index is closed")

// Index makes the log searchable. It is a SQLite file (audit.db) beside the segments that a goroutine of its own
// builds from them. It holds nothing that the segments do not, so that it may be deleted at any time; one that is
// corrupt, or does not fit the segments, is built anew.
//
// Its methods are safe for concurrent use. Only one process may have it open: the workspace's owner.
type Index struct {
	dir    string
	grown  atomic.Bool // since the last look
	wake   chan struct{}
	orders chan order
	stop   context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended

	mu sync.RWMutex // a rebuild replaces db
	db *sql.DB
	// crash is set before done is closed.
	crash error
}

// order asks the goroutine for one pass, and for a reply on done.
type order struct {
	anew bool
	done chan error
}

// OpenIndex opens the index of the log in dir, or makes it, and starts to fill it in the background. The caller closes
// it. It does not wait for the log to be indexed: CatchUp does.
func OpenIndex(dir string) (*Index, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the audit folder: %w", err)
	}
	db, err := openDatabase(dir)
	if err != nil && rebuildable(err) {
		db, err = newDatabase(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the audit index: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ix := &Index{
		dir: dir, db: db, stop: stop,
		wake: make(chan struct{}, 1), orders: make(chan order), done: make(chan struct{}),
	}
	ix.Notify()
	crashed := func(c *safe.Crash) { ix.crash = c; close(ix.done) }
	safe.Go("audit.index", crashed, func() { ix.run(ctx); close(ix.done) })
	return ix, nil
}

// Notify tells the index that the log has grown. It never blocks: give it to Options.Notify.
func (ix *Index) Notify() {
	if ix.grown.Swap(true) {
		return // it is going to look anyway
	}
	select {
	case ix.wake <- struct{}{}:
	default:
	}
}

// CatchUp returns when everything is indexed that was in the log when it was called, or with the reason why that
// cannot be.
func (ix *Index) CatchUp(ctx context.Context) error { return ix.order(ctx, false) }

// Reindex builds the index anew from the segments. List has nothing, or only a part, to show meanwhile.
func (ix *Index) Reindex(ctx context.Context) error { return ix.order(ctx, true) }

// Close stops the goroutine and closes the index. Calling it again does nothing.
func (ix *Index) Close() error {
	ix.stop()
	<-ix.done
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.db.Close()
}

func (ix *Index) order(ctx context.Context, anew bool) error {
	o := order{anew: anew, done: make(chan error, 1)}
	select {
	case ix.orders <- o:
	case <-ix.done:
		return ix.ended()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-ix.done:
		return ix.ended()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (ix *Index) ended() error { return errors.Join(ErrIndexClosed, ix.crash) }

// run is the one writer of the index. A pass that fails behind a mere wake-up is tried again at the next one; who needs
// to know asks with CatchUp.
func (ix *Index) run(ctx context.Context) {
	var due <-chan time.Time
	var first time.Time // of the wake-ups that due waits for
	for {
		select {
		case <-ctx.Done():
			return
		case <-ix.wake:
			if due == nil {
				ix.grown.Store(false)
				first, due = time.Now(), time.After(lag)
			}
		case <-due:
			if ix.grown.Swap(false) && time.Since(first) < maxLag {
				due = time.After(lag) // the log is busy
				continue
			}
			due = nil
			_ = ix.pass(ctx, false)
		case o := <-ix.orders:
			o.done <- ix.pass(ctx, o.anew)
		}
	}
}

// pass brings the index up to the log. An index that cannot be brought there is built anew once.
func (ix *Index) pass(ctx context.Context, anew bool) error {
	if !anew {
		err := tail(ctx, ix.db, ix.dir)
		if err == nil || ctx.Err() != nil || !rebuildable(err) {
			return err
		}
	}
	if err := ix.replace(); err != nil {
		return fmt.Errorf("build the audit index anew: %w", err)
	}
	return tail(ctx, ix.db, ix.dir)
}

// replace puts an empty database in the place of the one there is.
func (ix *Index) replace() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	_ = ix.db.Close() // it may be corrupt
	db, err := newDatabase(ix.dir)
	if err != nil {
		return err
	}
	ix.db = db
	return nil
}

func databasePath(dir string) string { return filepath.Join(dir, "audit.db") }
