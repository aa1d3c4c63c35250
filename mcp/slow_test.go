//go:build unix

package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// slowed is a session without a server, and when its calls were answered, in milliseconds after its start.
type slowed struct {
	*Session
	began time.Time
	ends  []string // "id@time"
}

func newSlowed(calls int) *slowed {
	s := &slowed{Session: newSession(withDefaults(serverOf("slow")), Options{}.withDefaults()), began: time.Now()}
	for id := range int64(calls) {
		_ = s.pending.add(&call{id: firstID + id, done: func(r spec.Reply) {
			text := fmt.Sprintf("%d@%d", id, time.Since(s.began).Milliseconds())
			if r.Err != nil {
				text += " lost"
			}
			s.ends = append(s.ends, text)
		}})
	}
	return s
}

// answer receives an answer, that many milliseconds after the start.
func (s *slowed) answer(id, at int) {
	time.Sleep(time.Until(s.began.Add(time.Duration(at) * time.Millisecond)))
	_ = s.receive([]byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(firstID+id) + `,"result":{}}`))
}

func (s *slowed) want(t *testing.T, ends ...string) {
	t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(ends, s.ends); diff != "" {
		t.Error(diff)
	}
}

const ms = time.Millisecond

func TestSlowAnswersComeLaterAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowed(7)
		_ = s.Slow(100*ms, 500*ms)
		s.answer(0, 0)
		s.answer(1, 30)
		s.answer(2, 40)
		s.answer(3, 490)
		s.answer(4, 510) // the time is over: it only waits for the one before it
		s.answer(5, 600)
		s.answer(6, 700)
		s.want(t, "0@100", "1@130", "2@140", "3@590", "4@590", "5@600", "6@700")
		if s.slow.Load() != nil {
			t.Error("still looking at answers")
		}
	})
}

func TestSlowTakesNewNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowed(4)
		_ = s.Slow(100*ms, time.Hour)
		s.answer(0, 0)
		_ = s.Slow(10*ms, time.Hour)
		s.answer(1, 50) // would be due at 60, before the first
		s.answer(2, 200)
		_ = s.Slow(0, 0)
		s.answer(3, 201) // the time is over, and it may not overtake
		time.Sleep(time.Second)
		s.want(t, "0@100", "1@100", "2@210", "3@210")
	})
}

func TestSlowEndsWithTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowed(2)
		_ = s.Slow(time.Hour, time.Hour)
		s.answer(0, 0)
		s.answer(0, 1) // a second answer is nobody's
		time.Sleep(time.Second)
		s.die(spec.Exit{Code: 1})
		synctest.Wait()
		if len(s.ends) != 2 || s.Counts().Late != 1 || s.pending.len() != 0 {
			t.Errorf("ends %q, counts %+v", s.ends, s.Counts())
		}
	}) // which fails if a goroutine is left
}

func TestSlowServers(t *testing.T) {
	f := newFakeHTTP(t, raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"echo":{}}}`))
	for name, open := range map[string]func(t *testing.T) *Session{
		"stdio":  func(t *testing.T) *Session { return openFake(t, fakeServer(t, "ok"), &notes{}) },
		"http":   func(t *testing.T) *Session { return openHTTP(t, httpServer(f.URL), &notes{}) },
		"events": openEvents,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			if err := s.Slow(50*ms, time.Hour); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			wantEcho(t, s, `{}`)
			if took := time.Since(began); took < 50*ms {
				t.Errorf("answered after %v", took)
			}

			_ = s.Slow(time.Hour, time.Hour)
			end, cancel := begin(s, "echo", "")
			eventually(t, "its answer is held", func() bool { return len(heldBy(s)) == 1 })
			cancel("too slow")
			if r := wait(t, end); !errors.Is(r.Err, ErrCancelled) || !r.Written {
				t.Errorf("cancelled: %+v", r)
			}

			end, _ = begin(s, "echo", "")
			eventually(t, "its answer is held", func() bool { return len(heldBy(s)) == 2 })
			s.Kill()
			var exit *ExitError
			if r := wait(t, end); !errors.As(r.Err, &exit) || !r.Written {
				t.Errorf("lost: %+v", r)
			}
		})
	}
}

func openEvents(t *testing.T) *Session {
	f := newFakeHTTP(t, func(w http.ResponseWriter, r *http.Request, id string) {
		raw("text/event-stream", "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[],\"echo\":{}}}\n\n")(w, r, id)
	})
	return openHTTP(t, httpServer(f.URL), &notes{})
}

func heldBy(s *Session) []heldAnswer {
	w := s.slow.Load()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queue
}
