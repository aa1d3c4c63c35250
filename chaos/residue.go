package chaos

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp"
)

// Usage is what this process holds. What the system does not tell is -1.
type Usage struct {
	FDs        int   `json:"fds"`
	Goroutines int   `json:"goroutines"`
	RSS        int64 `json:"rss_bytes"`
}

func usageNow() Usage {
	u := Usage{FDs: -1, Goroutines: runtime.NumGoroutine(), RSS: -1}
	if names, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.FDs = len(names)
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		u.RSS = rss(string(status))
	}
	return u
}

// rss reads "VmRSS:  12345 kB".
func rss(status string) int64 {
	for line := range strings.Lines(status) {
		if field := strings.Fields(line); len(field) == 3 && field[0] == "VmRSS:" {
			if kb, err := strconv.ParseInt(field[1], 10, 64); err == nil {
				return kb << 10
			}
		}
	}
	return -1
}

// keptRSS is this process's memory after all that nobody holds was given back: what grows then is kept.
func keptRSS() int64 {
	debug.FreeOSMemory()
	return usageNow().RSS
}

// goneBy is how long the kernel and the runtime may take to let go of what has ended.
const goneBy = 2 * time.Second

// leftBy looks until nothing is left of the run, or until limit: what is still held then, and which processes still live.
// The error says that those are not known.
func leftBy(before Usage, limit time.Duration) (after Usage, processes []int, err error) {
	for deadline := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		after = usageNow()
		processes, err = mcp.LeftOver()
		clean := len(processes) == 0 && after.FDs <= before.FDs && after.Goroutines <= before.Goroutines
		if clean || time.Now().After(deadline) {
			return after, processes, err
		}
	}
}
