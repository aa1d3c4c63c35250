package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestStatusTable(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	var b strings.Builder
	err := (&app{out: &b}).printStanding(standing{Servers: []messages.ServerStatus{
		{ID: "db", State: messages.StateUp, PID: 123, Since: now.Add(-192 * time.Second), Tools: 12, InFlight: 2, Queued: 1, Budget: 5, Warnings: []string{"junk \x1b"}},
		{
			ID: "flaky", State: messages.StateBackoff, Since: now.Add(-time.Second / 4), Restarts: 7, Window: 2, Budget: 5,
			LastExit: "exited with code 3", RetryAfter: ms(1500),
		},
		{ID: "a", State: messages.StateFailed, Budget: 5, Detail: "its group is spent", RetryAfter: ms(9000), Group: "g", GroupWindow: 1, GroupBudget: 1},
		{ID: "b", State: messages.StateStopped, Budget: 5, Detail: "stopped by hand", Group: "g", GroupWindow: 1, GroupBudget: 1},
		{ID: "off", State: messages.StateDisabled},
	}}, now)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
SERVER  STATE     FOR   PID  TOOLS  RUNNING  QUEUED  RESTARTS    LAST EXIT           DETAIL
db      up        3m12s 123  12     2        1       0 of 5      -                   -
flaky   backoff   0s    -    0      0        0       2 of 5 (7)  exited with code 3  expected back in 1.50s
a       failed    -     -    0      0        0       0 of 5      -                   its group is spent
b       stopped   -     -    0      0        0       0 of 5      -                   stopped by hand
off     disabled  -     -    0      0        0       0 of 0      -                   -
group g: 1 of 1 restart
warning: db: junk \u001b
`, "\n")
	if diff := cmp.Diff(squeezed(want), squeezed(b.String())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// squeezed makes one blank of several: how wide columns are is nobody's concern.
func squeezed(s string) []string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}

func TestStatusAsksTheOwner(t *testing.T) {
	dir := newFolder(t, "  - broken: [\n") // while somebody edits the files
	owned(t, dir, fakeOwner{servers: []messages.ServerStatus{{ID: "db", State: messages.StateFailed, LastExit: "exited with code 3"}}})
	got := command(t, "status", dir)
	if got.Code != 0 || got.Err != "" || !strings.Contains(got.Out, "exited with code 3") {
		t.Errorf("status = %+v", got)
	}
	if got, want := command(t, "status", dir, "--json").Out, fmt.Sprintf(`{"owner":{"pid":%d},"servers":[{"id":"db"`, os.Getpid()); !strings.HasPrefix(got, want) {
		t.Errorf("status --json = %s, want %s...", got, want)
	}
}

func TestStatusWithoutAnOwnerStartsNothing(t *testing.T) {
	dir := newFolder(t, "  - {id: db, command: [db], restart: {max_restarts: 3}}\n  - {id: off, command: [off], disabled: true}\n")
	got := command(t, "status", dir)
	want := [][]string{
		{"SERVER STATE FOR PID TOOLS RUNNING QUEUED RESTARTS LAST EXIT DETAIL", "db stopped - - 0 0 0 0 of 3 - -", "off disabled - - 0 0 0 0 of 5 - -", ""},
		{"nobody runs this workspace; `supervisor serve " + dir + "` does", ""},
	}
	if diff := cmp.Diff(want, [][]string{squeezed(got.Out), squeezed(got.Err)}); diff != "" || got.Code != 0 {
		t.Errorf("code %d (-want +got):\n%s", got.Code, diff)
	}
	if _, err := os.Stat(filepath.Join(dir, ".supervisor")); !os.IsNotExist(err) {
		t.Errorf("status left something behind: %v", err)
	}
	if got := command(t, "status", dir, "--json").Out; !strings.HasPrefix(got, `{"owner":null,"servers":[{"id":"db","state":"stopped"`) {
		t.Errorf("status --json = %s", got)
	}
	if got := command(t, "status", newFolder(t, "  - {id: db, comand: [db]}\n")); got.Code != 2 || !strings.Contains(got.Err, "workspace.yaml:5") {
		t.Errorf("status of a workspace with faults = %+v", got)
	}
}
