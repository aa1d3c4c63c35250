package fake

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// server is the well-behaved server with the hooks of its modes around it.
type server struct {
	options
	in  *os.File
	out output
	// asked has a channel for each request of ours that waits for the client's response, by id.
	asked *sync.Map
	// sleeping has a cancel function for each running sleep, by request id.
	sleeping *sync.Map
}

func newServer(opt options) *server {
	s := &server{options: opt, asked: new(sync.Map), sleeping: new(sync.Map)}
	for _, m := range opt.modes {
		if m.frame != nil {
			s.out.frames = append(s.out.frames, m.frame)
		}
	}
	return s
}

// over is the same server with another way out for what it says.
func (s *server) over(sink func(text string)) *server {
	return &server{options: s.options, asked: s.asked, sleeping: s.sleeping, out: output{sink: sink}}
}

// interruptible makes a file whose Close ends a running Read: Go waits on it in its poller only if it does not block.
func interruptible(f *os.File) *os.File {
	fd := int(f.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		return f
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// serve runs until stdin ends and returns the exit code.
func (s *server) serve() int {
	s.in = interruptible(os.Stdin)
	s.started()
	s.watchSignals()
	for _, m := range s.modes {
		if m.start != nil {
			m.start(s)
		}
	}
	err := s.read()
	if errors.Is(err, os.ErrClosed) {
		forever() // a mode has closed stdin, to stay alive without it
	}
	s.logLine("EOF")
	for _, m := range s.modes {
		if m.ended != nil {
			m.ended(s)
		}
	}
	return 0
}

func (s *server) read() error {
	lines := bufio.NewReaderSize(s.in, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			s.receive(line[:len(line)-1])
		}
		if err != nil {
			return err
		}
	}
}

func (s *server) receive(line []byte) {
	s.logLine(string(line))
	m := &message{raw: string(line)}
	err := json.Unmarshal(line, m)
	var odd *json.UnmarshalTypeError
	switch {
	case errors.As(err, &odd) && m.Method != "": // params that are not ours to judge
		s.dispatch(m)
	case err != nil:
		s.out.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"parse error"}}`, parseError))
	case m.Method == "":
		s.hear(m)
	default:
		s.dispatch(m)
	}
}

// dispatch runs the hooks of all modes and, inside them, what a good server does.
func (s *server) dispatch(m *message) {
	var hooks []hook
	for _, mode := range s.modes {
		for _, key := range []string{"*", m.Method} {
			if h := mode.on[key]; h != nil {
				hooks = append(hooks, h)
			}
		}
	}
	s.run(hooks, m)
}

func (s *server) run(hooks []hook, m *message) {
	if len(hooks) == 0 {
		s.behave(m)
		return
	}
	hooks[0](s, m, func() { s.run(hooks[1:], m) })
}

// beside runs fn while the server goes on.
func (s *server) beside(fn func()) {
	safe.Go("faulty", func(c *safe.Crash) {
		fmt.Fprintf(os.Stderr, "%v\n%s", c, c.Stack)
		os.Exit(exitBug)
	}, fn)
}

func forever() { select {} }
