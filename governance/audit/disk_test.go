//go:build unix

package audit

import (
	"errors"
	"math"
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"
)

// limitFileSize makes the kernel refuse what would make a file larger than size, as on a full disk: a write that crosses the
// limit is cut short first. It holds for the whole process, so that no test may run beside it.
func limitFileSize(t *testing.T, size uint64) (lift func()) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ)
	lift = func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(lift)
	limit := unix.Rlimit{Cur: min(size, math.MaxInt64), Max: before.Max}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	return lift
}

func TestFullDiskLosesNothingThatWasAcknowledged(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	mustAppend(t, l, calls(2)...)
	size := len(readFile(t, segmentPaths(t, dir)[0]))
	lift := limitFileSize(t, uint64(size)+100)

	for range 3 {
		if _, err := l.Append(calls(1)[0]); !errors.Is(err, unix.EFBIG) {
			t.Fatalf("Append on a full disk = %v", err)
		}
		wantSound(t, dir, 4)
	}
	lift()
	mustAppend(t, l, Fact(SupervisorStopped, nil))
	wantSound(t, dir, 5)
}

func TestHalfARecordThatCouldNotBeCutIsCutLater(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	mustAppend(t, l, calls(2)...)
	size := len(readFile(t, segmentPaths(t, dir)[0]))
	lift := limitFileSize(t, uint64(size)+100)
	r := full()
	fd := l.seg.fd
	l.seg.fd = -1 // ftruncate says EBADF
	if err := l.seg.append(encode(nil, &r), false); !errors.Is(err, unix.EFBIG) {
		t.Fatalf("append on a full disk = %v", err)
	}
	l.seg.fd = fd
	lift()
	if got := len(readFile(t, segmentPaths(t, dir)[0])); got != size+100 {
		t.Fatalf("%d bytes, want half a record behind %d", got, size)
	}
	mustAppend(t, l, Fact(SupervisorStopped, nil))
	wantSound(t, dir, 5)
	if n := len(segmentPaths(t, dir)); n != 1 {
		t.Errorf("%d segments, want 1", n)
	}
}
