package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"slices"
	"time"
)

const (
	// maxAtOnce bounds how many processes of one command run at once: a swarm asks for each call of each agent.
	maxAtOnce = 16
	// maxStderr bounds what is kept of a command's complaints, in bytes.
	maxStderr = 2 << 10
	// outputGrace is how long the output may stay open once the command has ended, because a child of it holds it.
	outputGrace = time.Second
)

// Exec is a provider that is a command. It is run once per request, reads the request from its standard input and
// writes the answer to its standard output; an exit code that is not 0 is a failure.
type Exec struct {
	// Command is the program and its arguments; no shell looks at them. The program is looked for in our PATH.
	Command []string
	// Env is its environment, beside our PATH; a PATH in it wins.
	Env map[string]string
	// Dir is where it runs; empty means here.
	Dir string
	// Timeout bounds one request, waiting for its turn included; 0 means DefaultTimeout. When it is over, the command's
	// whole process group is killed.
	Timeout time.Duration
	// Log hears of failures that no decision can tell; nil means nobody does.
	Log *slog.Logger
}

// NewExec makes a provider of a command. It is not run before there is something to ask. The error is a command that is
// empty or cannot be found.
func NewExec(e Exec) (*Provider, error) {
	if len(e.Command) == 0 || e.Command[0] == "" {
		return nil, errors.New("governance provider: the command is empty")
	}
	if err := exec.Command(e.Command[0]).Err; err != nil {
		return nil, fmt.Errorf("governance provider: %w", err)
	}
	c := &command{Exec: e, slots: make(chan struct{}, maxAtOnce)}
	p := newProvider(e.Timeout, e.Log)
	p.send = c.send
	return p, nil
}

type command struct {
	Exec
	slots chan struct{}
}

func (c *command) send(ctx context.Context, request []byte) ([]byte, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return c.run(ctx, request)
}

func (c *command) run(ctx context.Context, request []byte) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	stdout, stderr := &bounded{max: maxAnswer}, &bounded{max: maxStderr, drop: true}
	cmd.Dir, cmd.Env = c.Dir, environment(c.Env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), stdout, stderr
	cmd.WaitDelay = outputGrace
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		// A child of it holds the output. As long as it lives, the group's number is its own and nobody else's.
		_ = killGroup(cmd)
		return nil, errors.New("the command ended and left a process behind that holds its output")
	}
	if stdout.over {
		return nil, errTooLong // it ended by that, too
	}
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, complaint(stderr.kept.Bytes()))
	}
	return stdout.kept.Bytes(), nil
}

// environment is ours without anything but PATH, and then own.
func environment(own map[string]string) []string {
	vars := map[string]string{"PATH": os.Getenv("PATH")}
	maps.Copy(vars, own)
	env := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env
}

func complaint(stderr []byte) string {
	if text := line(string(stderr)); text != "" {
		return "; it says: " + text
	}
	return ""
}

var errTooLong = fmt.Errorf("the answer is longer than %d bytes", maxAnswer)

// bounded is a buffer with an end: what is written past it is an error, or dropped. It has no other methods of a
// buffer, because io.Copy would find ReadFrom and read without end.
type bounded struct {
	kept bytes.Buffer
	max  int
	drop bool
	over bool // more was written
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.max - b.kept.Len()
	if len(p) <= room {
		return b.kept.Write(p)
	}
	b.over = true
	if !b.drop {
		return 0, errTooLong
	}
	b.kept.Write(p[:room])
	return len(p), nil
}
