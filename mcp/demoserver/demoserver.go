package demoserver

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Info describes one server that [Serve] knows.
type Info struct {
	Name string
	// Args is the usage of the arguments behind the name; empty when it takes none.
	Args string
	// About says in one line what the server is for.
	About string
}

// server is one entry of the table: what to tell about it, and how to fill a fresh host with its tools.
type server struct {
	Info
	// args is how many arguments it takes.
	args int
	open func(h *host, args []string) error
}

// servers is what Serve knows, in the order of Infos.
var servers = []server{
	{Info{"hello", "", "greets: the smallest useful server"}, 0, openHello},
	{Info{"files", "ROOT", "reads and writes files below the folder ROOT and nowhere else"}, 1, openFiles},
	{Info{"clock", "", "tells the time and sleeps"}, 0, openClock},
	{Info{"counter", "FILE", "counts in FILE, with a ledger line per increment in FILE.log"}, 1, openCounter},
	{Info{"flaky", "", "crashes, hangs, fails and exits when asked to"}, 0, openFlaky},
	{Info{"echo", "", "says what it hears, as cheaply as the SDK allows; for benches and chaos"}, 0, openEcho},
	{Info{"ledger", "FILE", "appends a line to FILE per call, slowly enough to be killed in between; for chaos"}, 1, openLedger},
}

// Infos lists the servers.
func Infos() []Info {
	var infos []Info
	for _, s := range servers {
		infos = append(infos, s.Info)
	}
	return infos
}

// Names lists the servers by name, in the order of [Infos].
func Names() []string {
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return names
}

// Serve runs the named server on in and out until in ends or ctx is done; calls that are still running then are
// cancelled. It returns nil in both cases.
//
// Only MCP messages are written to out; errOut gets what the server has to say to people. Serve closes in and out. It
// returns an error, before it reads anything, for an unknown name and for arguments the server cannot use; it returns
// the error of the stream if a message cannot be read.
//
// Server flaky ends the calling process when it is asked to.
func Serve(ctx context.Context, name string, args []string, in io.ReadCloser, out io.WriteCloser, errOut io.Writer) error {
	s, err := find(name)
	if err != nil {
		return err
	}
	if len(args) != s.args {
		return fmt.Errorf("demo server %s: got %d arguments, usage: %s", name, len(args), strings.TrimSpace(name+" "+s.Args))
	}
	h := newHost(ctx, name, errOut)
	defer h.leave()
	if err := s.open(h, args); err != nil {
		return fmt.Errorf("demo server %s: %w", name, err)
	}
	return h.run(ctx, in, out)
}

func find(name string) (server, error) {
	for _, s := range servers {
		if s.Name == name {
			return s, nil
		}
	}
	return server{}, fmt.Errorf("no demo server is called %q; there are: %s", name, strings.Join(Names(), ", "))
}
