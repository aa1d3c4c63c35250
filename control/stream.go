package control

import (
	"context"
	"net/http"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// backlog is how many events of a run may wait for a slow reader; later ones are dropped and counted, because a run
// must not stand still for a terminal that was suspended.
const backlog = 1024

// run streams a run's events, one line each, and its end as the last line.
func (s *Server) run(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	var in actors.RunRequest
	if err := decode(w, r, &in); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := newStream(w)
	result, err := s.api.Run(ctx, in, out.event)
	out.end(result, err)
}

// stream writes lines in a goroutine of its own. event and end are called one after the other, never at the same time.
type stream struct {
	lines   chan line
	dropped int
	written chan struct{} // closed when the last line is written
}

func newStream(w http.ResponseWriter) *stream {
	s := &stream{lines: make(chan line, backlog), written: make(chan struct{})}
	flusher := http.NewResponseController(w)
	safe.Go("control.stream", nil, func() {
		defer close(s.written)
		for l := range s.lines {
			// A failed write means that the peer is gone, which ends the run through its context.
			_ = encode(w, l)
			_ = flusher.Flush()
		}
	})
	return s
}

func (s *stream) event(e messages.Event) {
	select {
	case s.lines <- line{Event: &e}:
	default:
		s.dropped++
	}
}

func (s *stream) end(result actors.RunResult, err error) {
	if s.dropped > 0 {
		s.lines <- line{Dropped: s.dropped}
	}
	last := line{Result: &result}
	if err != nil {
		last.Error = failureOf(err)
	}
	s.lines <- last
	close(s.lines)
	<-s.written
}
