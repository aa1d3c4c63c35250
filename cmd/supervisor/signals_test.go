package main

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestTheFirstSignalIsSoftAndTheSecondHard(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	in := (&app{}).catch(t.Context(), endings())
	defer in.release()
	raise(t, syscall.SIGTERM, in.soft)
	if !interrupted(in.soft) || in.hard.Err() != nil {
		t.Errorf("after one signal: soft %v, hard %v", context.Cause(in.soft), in.hard.Err())
	}
	raise(t, os.Interrupt, in.hard)
	if !interrupted(in.hard) {
		t.Errorf("after two signals: hard %v", context.Cause(in.hard))
	}
}

func TestReleaseIsNoSignal(t *testing.T) {
	in := (&app{}).catch(t.Context(), endings())
	in.release()
	if in.soft.Err() == nil || interrupted(in.soft) {
		t.Errorf("after release: soft %v", context.Cause(in.soft))
	}
}

// raise sends us a signal and waits for what it ends.
func raise(t *testing.T, s os.Signal, ctx context.Context) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatalf("%v ended nothing within 10 s", s)
	}
}
