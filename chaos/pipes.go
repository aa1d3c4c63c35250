package chaos

import (
	"errors"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/mcp"
)

// breakable is a session whose stream can be hurt. *mcp.Session is one.
type breakable interface {
	Break(f mcp.Fault) error
	Slow(by, period time.Duration) error
}

var _ breakable = (*mcp.Session)(nil)

var errUnbreakable = errors.New("the session's stream cannot be hurt")

// slowFor is how long answers are delayed.
const slowFor = time.Second

// hurtPipes closes a pipe of the session, or slows it down.
func hurtPipes(session actors.Session, s strike) error {
	b, ok := session.(breakable)
	switch {
	case !ok:
		return errUnbreakable
	case s.kind == Slow:
		return b.Slow(s.length, slowFor)
	case s.stdout:
		return b.Break(mcp.CloseStdout)
	}
	return b.Break(mcp.CloseStdin)
}

// descendants are the living processes below one, parents before their children.
func descendants(pid int) []int { return mcp.Descendants(pid) }
