package mcp

import (
	"io"
	"os"
)

// pipes are the pipes between us and a process that is about to start. Real pipes, not the copying goroutines of
// os/exec: those would wait for whoever else holds the other end.
type pipes struct{ ours, theirs []*os.File }

// in makes a pipe into the process and returns our end.
func (p *pipes) in(theirs *io.Reader) (*os.File, error) {
	r, w, err := p.make()
	if err != nil {
		return nil, err
	}
	p.theirs, p.ours = append(p.theirs, r), append(p.ours, w)
	*theirs = r
	return w, nil
}

// out makes a pipe out of the process and returns our end.
func (p *pipes) out(theirs *io.Writer) (*os.File, error) {
	r, w, err := p.make()
	if err != nil {
		return nil, err
	}
	p.ours, p.theirs = append(p.ours, r), append(p.theirs, w)
	*theirs = w
	return r, nil
}

func (p *pipes) make() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		p.closeAll()
	}
	return r, w, err
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close()
	}
}

func (p *pipes) closeAll() {
	p.closeTheirs()
	for _, f := range p.ours {
		_ = f.Close()
	}
}
