package chaos

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// noticeBy is how long a hung server is left alone. Within it the supervisor has to notice.
const noticeBy = 10 * time.Second

// injector carries strikes out.
type injector struct {
	servers  []victim // in the order of the workspace
	sessions *sessions
	books    *books

	mu         sync.Mutex
	busy       map[string]bool // is stopped, or hangs
	missed     int             // strikes that found nobody to strike
	notNoticed map[string]int  // by server
	thawing    sync.WaitGroup  // those that will be woken
}

// victim is a server that may be struck.
type victim struct {
	id     string
	remote bool
}

func newInjector(servers []victim, s *sessions, b *books) *injector {
	return &injector{servers: servers, sessions: s, books: b, busy: map[string]bool{}, notNoticed: map[string]int{}}
}

// run strikes as the dice say until ctx ends.
func (i *injector) run(ctx context.Context, d *dice) {
	for {
		s := d.next()
		if pause(ctx, s.after); ctx.Err() != nil {
			return
		}
		i.strike(s)
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// strike hits one of the servers that are up now. Where there is none, or it has died just now, the strike is missed.
func (i *injector) strike(s strike) {
	at := i.reachable(s.kind)
	if len(at) == 0 {
		i.miss()
		return
	}
	t := at[s.pick(len(at))]
	hit := blow{kind: s.kind, server: t.server, incarnation: t.incarnation, at: time.Now()}
	takeBack := i.books.strike(hit)
	if err := i.carryOut(s, t, hit); err != nil { // it was gone: nothing of ours to report
		takeBack()
		i.miss()
	}
}

func (i *injector) miss() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.missed++
}

// reached is a session that can be struck.
type reached struct {
	opened
	server      string
	incarnation int
}

func (i *injector) reachable(k Kind) (found []reached) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, v := range i.servers {
		session, ok := i.sessions.of(v.id)
		if !ok || i.busy[v.id] || v.remote && k.local() {
			continue
		}
		if n := i.books.incarnation(v.id, session.at); n > 0 {
			found = append(found, reached{session, v.id, n})
		}
	}
	return found
}

func (i *injector) carryOut(s strike, t reached, hit blow) error {
	switch s.kind {
	case Pipe, Slow:
		return hurtPipes(t.Session, s)
	case Wrapper:
		return killed(hold(t.opened, itself))
	case Stop, Hang:
		p, err := hold(t.opened, serving)
		if err != nil {
			return err
		}
		return i.freeze(s, t, p, hit)
	default:
		return killed(hold(t.opened, serving))
	}
}

func killed(p process, err error) error {
	if err != nil {
		return err
	}
	defer p.release()
	return p.kill()
}

// freeze stops a process, and wakes it after the strike's length; one that hangs when the supervisor has noticed, or after
// noticeBy. The end of the strikes does not end it.
func (i *injector) freeze(s strike, t reached, p process, hit blow) error {
	if err := p.stop(); err != nil {
		p.release()
		return err
	}
	limit := s.length
	if s.kind == Hang {
		limit = noticeBy
	}
	i.setBusy(t.server, true)
	i.thawing.Add(1)
	safe.Go("chaos thaw", nil, func() {
		defer i.thawing.Done()
		defer i.setBusy(t.server, false)
		defer p.release()
		i.thaw(t, p, limit, hit)
	})
	return nil
}

func (i *injector) thaw(t reached, p process, limit time.Duration, hit blow) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.Done():
	case <-timer.C:
		if hit.kind == Hang {
			i.unnoticed(hit)
		}
	}
	_ = p.goOn() // an error says that it is gone
}

// unnoticed is the end of a hang that nobody put an end to: there is nothing to recover from.
func (i *injector) unnoticed(hit blow) {
	i.books.forget(&hit)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.notNoticed[hit.server]++
}

func (i *injector) setBusy(server string, busy bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.busy[server] = busy
}

// counts are the strikes that were missed, and the hangs that were not noticed, by server.
func (i *injector) counts() (missed int, notNoticed map[string]int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	copied := map[string]int{}
	for server, n := range i.notNoticed {
		copied[server] = n
	}
	return i.missed, copied
}
