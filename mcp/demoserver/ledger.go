package demoserver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxWork is the longest work before the line is written, and again behind it. It makes kills fall on both sides of the
// line: a call that was carried out and never answered is what a second sending would double.
const maxWork = 10 * time.Millisecond

type entryKey struct {
	Key string `json:"key" jsonschema:"becomes the line, at most 256 bytes without a line break"`
}

// keyLedger is a file with one key a line, in the order the calls were carried out.
type keyLedger struct{ file *os.File }

func openLedger(h *host, args []string) error {
	file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("ledger file: %w", err)
	}
	h.closers = append(h.closers, file)
	addTool(h, sdk.Tool{Name: "record", Description: "Appends the key as a line.", Annotations: adds()}, keyLedger{file}.record)
	return nil
}

// record writes the line with one write(2), which a kill cannot cut in two.
func (l keyLedger) record(ctx context.Context, in entryKey) (string, error) {
	if err := in.check(); err != nil {
		return "", err
	}
	if err := work(ctx); err != nil {
		return "", errors.New("cancelled before the line was written")
	}
	if _, err := l.file.WriteString(in.Key + "\n"); err != nil {
		return "", fmt.Errorf("ledger: %w", err)
	}
	_ = work(ctx) // the line is written: it is too late to say no
	return in.Key, nil
}

func (k entryKey) check() error {
	switch {
	case k.Key == "" || strings.ContainsAny(k.Key, "\r\n"):
		return errors.New("key must be one line of text")
	case len(k.Key) > maxKey:
		return fmt.Errorf("key has %d bytes, and may have at most %d", len(k.Key), maxKey)
	}
	return nil
}

// work takes a random moment, or ends with ctx.
func work(ctx context.Context) error {
	timer := time.NewTimer(rand.N(maxWork))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
