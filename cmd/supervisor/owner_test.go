package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/internal/owner"
)

func TestSearchGivesAnOwnerTimeToStartOrStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		err := search(t.Context(), func() (*owner.HeldError, error) {
			if tries++; tries < 5 {
				return &owner.HeldError{PID: 7}, owner.ErrHeld
			}
			return nil, nil
		})
		if err != nil || tries != 5 {
			t.Errorf("search = %v after %d tries", err, tries)
		}
	})
}

func TestSearchEndsWithAClearWord(t *testing.T) {
	for name, c := range map[string]struct {
		held owner.HeldError
		err  error
		want []string
	}{
		"an embedded owner":    {owner.HeldError{PID: 7}, owner.ErrHeld, []string{"process 7", "no control socket", "embeds"}},
		"one that hangs":       {owner.HeldError{PID: 7, Socket: "/run/s"}, control.ErrNotSent, []string{"process 7", "/run/s", "if it hangs"}},
		"one without a number": {owner.HeldError{}, owner.ErrHeld, []string{"another process"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := search(t.Context(), func() (*owner.HeldError, error) { return &c.held, c.err })
				if !errors.Is(err, errUnreachable) || codeOf(err) != exitUnavailable {
					t.Fatalf("search = %v, want errUnreachable", err)
				}
				for _, part := range c.want {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q lacks %q", err, part)
					}
				}
				if took := time.Since(began); took > findOwner || took < findOwner/2 {
					t.Errorf("search took %s, want about %s", took, findOwner)
				}
			})
		})
	}
}

func TestSearchEndsWithTheSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := search(ctx, func() (*owner.HeldError, error) {
			cancel(&interruption{})
			return &owner.HeldError{}, owner.ErrHeld
		})
		var i *interruption
		if !errors.As(err, &i) || !interrupted(ctx) {
			t.Errorf("search = %v, want the interruption", err)
		}
	})
}

// An owner that goes between two looks is not an error: the next look finds the lock free, or another owner.
func TestAskingLooksAgainWhenNothingWasSent(t *testing.T) {
	socket := t.TempDir() + "/gone"
	start := fmt.Errorf("own: %w", &owner.HeldError{PID: 7, Socket: socket})
	held, err := asking(t.Context(), start, func(context.Context, *control.Client) error {
		t.Error("nobody was there to ask")
		return nil
	})
	if held == nil || !errors.Is(err, control.ErrNotSent) {
		t.Errorf("asking = %v, %v, want to look again", held, err)
	}
	if held, err := asking(t.Context(), errors.New("disk full"), nil); held != nil || err == nil {
		t.Errorf("asking after another error = %v, %v, want that error", held, err)
	}
}
