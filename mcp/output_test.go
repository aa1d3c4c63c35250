//go:build unix

package mcp

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// held makes a pipe whose writing end stays open, as by somebody outside the server's group.
func held(t *testing.T) (*output, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return newOutput(r), w
}

// readAllOf reads o to its end in the background.
func readAllOf(o *output) <-chan string {
	got := make(chan string, 1)
	safe.Go("reader", nil, func() {
		text, err := io.ReadAll(o)
		if err != nil {
			text = []byte(err.Error())
		}
		got <- string(text)
	})
	return got
}

func within20s(t *testing.T, got <-chan string) string {
	t.Helper()
	select {
	case text := <-got:
		return text
	case <-time.After(limit):
		t.Fatal("the output did not end")
		return ""
	}
}

func TestOutputEndsWithItsWriters(t *testing.T) {
	o, w := held(t)
	got := readAllOf(o)
	w.WriteString("a whole answer")
	w.Close()
	if text := within20s(t, got); text != "a whole answer" {
		t.Errorf("%q", text)
	}
}

func TestOutputOfTheDeadEndsThoughSomebodyHoldsIt(t *testing.T) {
	most := strings.Repeat("x", 60<<10)
	for name, finish := range map[string]func(*output){
		"the reader is in time": (*output).finish,
		"the reader comes late": func(o *output) {
			o.finish()
			o.limit = time.Now().Add(-time.Hour)
			o.file.SetReadDeadline(time.Now().Add(-time.Hour))
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, left := range []string{"", "half an ans", "a whole answer\n", most} {
				o, w := held(t)
				w.WriteString(left)
				finish(o)
				if text := within20s(t, readAllOf(o)); text != left {
					t.Errorf("read %d bytes of %d", len(text), len(left))
				}
			}
		})
	}
	t.Run("the reader waits already", func(t *testing.T) {
		o, w := held(t)
		got := readAllOf(o)
		w.WriteString("read before ")
		eventually(t, "it was read", func() bool { return !readable(o.file) })
		w.WriteString("and after")
		o.finish()
		if text := within20s(t, got); text != "read before and after" {
			t.Errorf("%q", text)
		}
	})
}

func TestOutputOfTheDeadEndsThoughSomebodyGoesOnWriting(t *testing.T) {
	o, w := held(t)
	w.WriteString("the last answer\n")
	o.finish()
	safe.Go("outsider", nil, func() {
		chunk := bytes.Repeat([]byte("z"), 32<<10)
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	text := within20s(t, readAllOf(o))
	if !strings.HasPrefix(text, "the last answer\n") || len(text) > pipeMost {
		t.Errorf("read %d bytes: %.20q", len(text), text)
	}
	o.close() // ends the outsider: nobody reads any more
}

func TestClosedOutputEndsItsReader(t *testing.T) {
	o, _ := held(t)
	got := readAllOf(o)
	o.close()
	if text := within20s(t, got); !strings.Contains(text, os.ErrClosed.Error()) {
		t.Errorf("%q", text)
	}
}
