package actors

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/owner"
	"github.com/mcp-supervisor/supervisor/internal/rotate"
)

// serverLogLimit is the size in bytes of a server's log; as much again is kept of what was before it.
const serverLogLimit = 5 << 20

// serverLog is where the stderr of one server goes: all its incarnations, one after the other, in one file.
type serverLog struct {
	file   *rotate.File
	broken atomic.Bool // a write failed, and that was told
}

func newServerLog(stateDir, server string) *serverLog {
	return &serverLog{file: rotate.New(filepath.Join(owner.LogDir(stateDir), server+".log"), serverLogLimit)}
}

// stderr takes the lines a server writes to stderr. They are escaped and masked already. It is called off the path that
// drains the server, which drops lines rather than wait for a slow disk.
func (e *env) stderr(server string) func(string) {
	log, file := e.log.With(slog.String("server", server)), e.all()[server].log
	return func(line string) {
		log.Debug("server.stderr", slog.String("line", line))
		if err := file.add(time.Now(), line); err != nil {
			e.send(e.instance(server), warned{Text: "its stderr is not kept: " + err.Error()})
		}
	}
}

// add writes a line. Only the first failure is returned: a full disk is told once, and tried again with the next line.
func (l *serverLog) add(at time.Time, line string) error {
	if l == nil {
		return nil
	}
	text := at.UTC().AppendFormat(make([]byte, 0, len(line)+32), "2006-01-02T15:04:05.000Z07:00 ")
	_, err := l.file.Write(append(append(text, line...), '\n'))
	if err == nil || errors.Is(err, fs.ErrClosed) || l.broken.Swap(true) {
		return nil
	}
	return err
}

// closeLogs closes the logs; what a server's last goroutine still has to say is dropped.
func (e *env) closeLogs() {
	for _, at := range e.all() {
		_ = at.log.file.Close()
	}
}
