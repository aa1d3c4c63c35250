package demoserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lockPoll is how often a taken lock is tried again. It is held for well under a millisecond.
const lockPoll = 2 * time.Millisecond

type increment struct {
	By  *int64 `json:"by,omitempty" jsonschema:"1 if left out"`
	Key string `json:"key,omitempty" jsonschema:"written to the ledger, at most 256 bytes"`
}

// counter is a number in a file, and a ledger beside it with one line for each increment.
//
// An increment is written to the ledger first and to the file second, under one lock for all processes. A process that
// is killed between the two leaves a ledger that is one line ahead, and the next one under the lock takes the total from
// there. So a count is never lost and never made twice. Neither file is synced: they outlive the process, whatever
// happens to it, but not a power cut.
type counter struct {
	path   string
	ledger ledger
}

func openCounter(h *host, args []string) error {
	if err := os.MkdirAll(filepath.Dir(args[0]), 0o755); err != nil {
		return fmt.Errorf("counter file: %w", err)
	}
	c := counter{path: args[0], ledger: ledger(args[0] + ".log")}
	if _, err := c.total(); err != nil {
		return fmt.Errorf("counter file: %w", err)
	}
	addTool(h, sdk.Tool{Name: "increment", Description: "Adds to the counter and returns the new total.", Annotations: adds()}, c.increment)
	addTool(h, sdk.Tool{Name: "get", Description: "Returns the total.", Annotations: reads()}, c.get)
	return nil
}

func (c counter) increment(ctx context.Context, in increment) (string, error) {
	if len(in.Key) > maxKey {
		return "", fmt.Errorf("key has %d bytes, and may have at most %d", len(in.Key), maxKey)
	}
	by := int64(1)
	if in.By != nil {
		by = *in.By
	}
	var total int64
	err := c.locked(ctx, func() (err error) {
		total, err = c.add(by, in.Key)
		return err
	})
	return strconv.FormatInt(total, 10), err
}

func (c counter) get(ctx context.Context, _ none) (string, error) {
	var total int64
	err := c.locked(ctx, func() (err error) {
		total, err = c.total()
		return err
	})
	return strconv.FormatInt(total, 10), err
}

// add must be called under the lock.
func (c counter) add(by int64, key string) (int64, error) {
	before, err := c.total()
	if err != nil {
		return 0, err
	}
	total := before + by
	if (total > before) != (by > 0) && by != 0 {
		return 0, fmt.Errorf("%d and %d do not add up to a 64 bit number", before, by)
	}
	if err := c.ledger.append(entry{Total: total, By: by, Key: key}); err != nil {
		return 0, fmt.Errorf("ledger: %w", err)
	}
	return total, c.store(total)
}

// total is the ledger's word where it has one: it is never behind the file.
func (c counter) total() (int64, error) {
	if last, ok, err := c.ledger.last(); err != nil || ok {
		return last.Total, err
	}
	content, err := os.ReadFile(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	total, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s does not hold a number", c.path)
	}
	return total, nil
}

// store replaces the file as a whole, so that a reader never sees half a number.
func (c counter) store(total int64) error {
	temp := c.path + ".tmp" // one name is enough: only the holder of the lock writes
	if err := os.WriteFile(temp, []byte(strconv.FormatInt(total, 10)+"\n"), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, c.path)
}

// locked runs do while no other process, and no other call of this one, is in it. The kernel frees the lock of a process
// that dies.
func (c counter) locked(ctx context.Context, do func() error) error {
	lock := flock.New(c.path + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	defer func() { _ = lock.Close() }()
	return do()
}
