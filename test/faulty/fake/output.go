package fake

import (
	"os"
	"strings"
	"sync"
)

// output is stdout, or what takes its place. Each write is one system call, so nothing is left in a buffer when a mode ends the process.
type output struct {
	mu     sync.Mutex
	frames []func(string) string
	closed bool
	// sink takes each message instead of stdout; nil for none.
	sink func(text string)
}

// send writes one message, framed as the modes want it.
func (o *output) send(text string) { o.write(o.framed(text)) }

func (o *output) framed(text string) string {
	framed := text + "\n"
	for _, frame := range o.frames {
		framed = frame(framed)
	}
	return framed
}

// write writes bytes as they are. It reports no error: a client that is gone ends this process with SIGPIPE.
func (o *output) write(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
	case o.sink != nil:
		o.sink(text)
	default:
		_, _ = os.Stdout.WriteString(text)
	}
}

// close closes stdout; what is sent later is dropped.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	_ = os.Stdout.Close()
}

// writeForever writes size bytes of a message that never ends; what is sent later is dropped.
func (o *output) writeForever(start string, size int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	_, _ = os.Stdout.WriteString(start)
	chunk := strings.Repeat("a", 1<<16)
	for left := size; left > 0; left -= len(chunk) {
		if _, err := os.Stdout.WriteString(chunk[:min(left, len(chunk))]); err != nil {
			return
		}
	}
}
