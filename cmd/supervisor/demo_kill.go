package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// kill starts to kill the servers in turn, each once a round in an order of the seed's, and sends its end on the
// channel. It waits for a server to be up before it kills it.
func kill(ctx context.Context, sup *actors.Supervisor, seen *witness, o demoOptions) <-chan error {
	ended := make(chan error, 1)
	random := rand.New(rand.NewPCG(o.seed, o.seed))
	safe.Go("demo.kill", func(c *safe.Crash) { ended <- c }, func() { ended <- killRounds(ctx, sup, seen, o, random) })
	return ended
}

func killRounds(ctx context.Context, sup *actors.Supervisor, seen *witness, o demoOptions, random *rand.Rand) error {
	servers, err := enabled(ctx, sup)
	if err != nil {
		return err
	}
	for range o.rounds {
		for _, n := range random.Perm(len(servers)) {
			pause(ctx, time.Duration((0.5+random.Float64())*float64(o.killEvery)))
			if err := killOne(ctx, sup, seen, servers[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

func enabled(ctx context.Context, sup *actors.Supervisor) ([]string, error) {
	statuses, err := sup.Servers(ctx)
	var ids []string
	for _, s := range statuses {
		if s.State != messages.StateDisabled {
			ids = append(ids, s.ID)
		}
	}
	return ids, err
}

// killOne kills the leader of the server's process group, as soon as the server is up.
func killOne(ctx context.Context, sup *actors.Supervisor, seen *witness, server string) error {
	status, err := upStatus(ctx, sup, server)
	if err != nil {
		return err
	}
	if group, err := unix.Getpgid(status.PID); err != nil || group != status.PID {
		return nil // it ended by itself just now: not ours to kill any more
	}
	seen.kills(status)
	_ = unix.Kill(status.PID, unix.SIGKILL) // an error only says that it ended just now
	return nil
}

// patienceForUp is above the longest back-off that the demo's rounds lead to.
const patienceForUp = 15 * time.Second

// upStatus waits until the server is up.
func upStatus(ctx context.Context, sup *actors.Supervisor, server string) (messages.ServerStatus, error) {
	for deadline := time.Now().Add(patienceForUp); ; pause(ctx, 10*time.Millisecond) {
		statuses, err := sup.Servers(ctx)
		if err != nil {
			return messages.ServerStatus{}, err
		}
		for _, s := range statuses {
			if s.ID == server && s.State == messages.StateUp && s.PID > 0 {
				return s, nil
			}
		}
		if ctx.Err() != nil {
			return messages.ServerStatus{}, context.Cause(ctx)
		}
		if time.Now().After(deadline) {
			return messages.ServerStatus{}, fmt.Errorf("server %s did not come up within %s", server, patienceForUp)
		}
	}
}
