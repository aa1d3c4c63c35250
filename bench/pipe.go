package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
)

// pipe is the floor: lines over a pipe, matched by id, and nothing else.
type pipe struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	mu      sync.Mutex
	next    int
	waiting map[int]chan struct{}
}

func newPipe(self string, size int) (caller, error) {
	p := &pipe{cmd: exec.Command(self, "serve", strconv.Itoa(size)), waiting: map[int]chan struct{}{}}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(out)
	return p, nil
}

func (p *pipe) read(out io.Reader) {
	lines := bufio.NewReaderSize(out, 1<<17)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		id, _ := strconv.Atoi(string(field(line, `"id":`)))
		p.mu.Lock()
		answered := p.waiting[id]
		delete(p.waiting, id)
		p.mu.Unlock()
		close(answered)
	}
}

func (p *pipe) call(context.Context) error {
	answered := make(chan struct{})
	p.mu.Lock()
	p.next++
	p.waiting[p.next] = answered
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`+"\n", p.next)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	<-answered
	return nil
}

func (p *pipe) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
