package mcp

import (
	"context"
	"net"
	"sync"
)

// conns are the open connections of one client, so that they can be broken on purpose.
type conns struct {
	mu   sync.Mutex
	open map[*tracked]bool
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// tracking returns dial with a memory of what it opened and nobody closed yet. Nil is the system's dialer, as it is to
// net/http.
func (c *conns) tracking(dial dialFunc) dialFunc {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		t := &tracked{Conn: conn, all: c}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open == nil {
			c.open = map[*tracked]bool{}
		}
		c.open[t] = true
		return t, nil
	}
}

// breakAll breaks the connections that are open, as the network would: both sides read the end of the stream.
func (c *conns) breakAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t := range c.open {
		t.breakOff()
	}
}

type tracked struct {
	net.Conn
	all *conns
}

// Close implements net.Conn.
func (t *tracked) Close() error {
	t.all.mu.Lock()
	delete(t.all.open, t)
	t.all.mu.Unlock()
	return t.Conn.Close()
}

// breakOff shuts both directions down and leaves it to the client to find out and to close.
func (t *tracked) breakOff() {
	tcp, ok := t.Conn.(*net.TCPConn)
	if !ok {
		_ = t.Conn.Close()
		return
	}
	_ = tcp.CloseWrite()
	_ = tcp.CloseRead()
}
