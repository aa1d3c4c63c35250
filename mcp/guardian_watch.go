package mcp

import (
	"fmt"
	"os/exec"
	"strconv"
	"time"
)

const (
	// tellTime bounds telling the guardian something. Its pipe holds a thousand lines; one that does not read them for
	// so long was stopped or worse, and is replaced.
	tellTime = time.Second
	// The pause before a dead guardian is replaced doubles from the first to the longest; one that lived longer than
	// that starts anew.
	firstRespawn   = 10 * time.Millisecond
	slowestRespawn = time.Minute
)

// tell writes one line to the guardian. g.mu is held.
func (g *Guardian) tell(line string) {
	if g.pipe == nil {
		return // the next one is told everything
	}
	_ = g.pipe.SetWriteDeadline(time.Now().Add(tellTime))
	if _, err := g.pipe.WriteString(line + "\n"); err != nil {
		_ = g.shell.Process.Kill() // the watcher replaces it
		g.disconnect()
	}
}

// disconnect is what the guardian takes for our end, unless it was told "end" before. g.mu is held.
func (g *Guardian) disconnect() {
	if g.pipe != nil {
		_ = g.pipe.Close()
		g.pipe = nil
	}
}

// spawn starts a guardian's process and tells it all that we know; nil after Close.
func (g *Guardian) spawn() (*exec.Cmd, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, nil
	}
	shell, pipe, err := startGuardian()
	if shell == nil {
		return nil, err
	}
	g.shell, g.pipe = shell, pipe
	g.tell("instance " + g.Cookie())
	if dir := g.box.path(); dir != "" {
		g.tell("box " + dir)
	}
	for pgid := range g.groups {
		g.tell("add " + strconv.Itoa(pgid))
	}
	return shell, nil
}

// watch waits for the guardian's end and replaces it, until Close.
func (g *Guardian) watch(shell *exec.Cmd) {
	var err error
	for pause := firstRespawn; ; pause = min(2*pause, slowestRespawn) {
		if shell != nil {
			began := time.Now()
			await(shell)
			if g.buried() {
				return
			}
			if time.Since(began) > slowestRespawn {
				pause = firstRespawn
			}
			g.warn(fmt.Sprintf("the guardian ended (%v); a new one starts in %v", shell.ProcessState, pause))
		}
		select {
		case <-g.stop:
			return
		case <-time.After(pause):
		}
		if shell, err = g.spawn(); err != nil {
			g.warn(fmt.Sprintf("no guardian: %v; the next try is in %v", err, min(2*pause, slowestRespawn)))
		}
	}
}

// buried notes that the guardian's process is gone, and reports whether that was meant.
func (g *Guardian) buried() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.disconnect()
	g.shell = nil
	return g.closed
}
