package demoserver

import (
	"context"
	"fmt"
	"time"

	_ "time/tzdata" // machines without a zone database have to tell the time too

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSleep keeps a mistyped number from looking like a hang.
const maxSleep = 10 * time.Minute

type zone struct {
	Timezone string `json:"timezone,omitempty" jsonschema:"an IANA time zone such as Europe/Berlin; UTC if left out"`
}

type nap struct {
	MS int64 `json:"ms" jsonschema:"milliseconds, 0 to 600000"`
}

func openClock(h *host, _ []string) error {
	addTool(h, sdk.Tool{Name: "now", Description: "Tells the time as RFC 3339.", Annotations: reads()}, now)
	addTool(h, sdk.Tool{Name: "sleep", Description: "Answers after some milliseconds; it can be cancelled.", Annotations: reads()}, sleep)
	return nil
}

func now(_ context.Context, in zone) (string, error) {
	if in.Timezone == "Local" { // known to Go, not to IANA
		return "", fmt.Errorf("unknown time zone %q: use an IANA name such as Europe/Berlin", in.Timezone)
	}
	loc, err := time.LoadLocation(in.Timezone)
	if err != nil {
		return "", fmt.Errorf("unknown time zone %q: use an IANA name such as Europe/Berlin", in.Timezone)
	}
	return time.Now().In(loc).Format(time.RFC3339), nil
}

func sleep(ctx context.Context, in nap) (string, error) {
	if in.MS < 0 || in.MS > maxSleep.Milliseconds() {
		return "", fmt.Errorf("ms is %d, and must be between 0 and %d", in.MS, maxSleep.Milliseconds())
	}
	timer := time.NewTimer(time.Duration(in.MS) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return fmt.Sprintf("slept %d ms", in.MS), nil
	case <-ctx.Done():
		return "", fmt.Errorf("sleep of %d ms was cancelled", in.MS)
	}
}
