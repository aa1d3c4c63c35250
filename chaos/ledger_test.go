package chaos

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestCheckLedger(t *testing.T) {
	ended := func(o messages.Outcome, ran messages.Ran) map[string]messages.CallResult {
		return map[string]messages.CallResult{"k": {Outcome: o, Ran: ran}}
	}
	none, once, twice := []string(nil), []string{"k"}, []string{"k", "k"}
	for _, tt := range []struct {
		name  string
		calls map[string]messages.CallResult
		lines []string
		want  LedgerCheck
	}{
		{"ok, one line", ended(messages.OK, messages.RanYes), once, LedgerCheck{Calls: 1, Lines: 1}},
		{"ok, no line", ended(messages.OK, messages.RanYes), none, LedgerCheck{Calls: 1, Missing: 1}},
		{"ok, two lines", ended(messages.OK, messages.RanYes), twice, LedgerCheck{Calls: 1, Lines: 2, Doubled: 1}},
		{"lost before it was carried out", ended(messages.Lost, messages.RanMaybe), none, LedgerCheck{Calls: 1}},
		{"lost after it was carried out", ended(messages.Lost, messages.RanMaybe), once, LedgerCheck{Calls: 1, Lines: 1, Carried: 1}},
		{"lost, and sent again", ended(messages.Lost, messages.RanMaybe), twice, LedgerCheck{Calls: 1, Lines: 2, Doubled: 1, Carried: 1}},
		{"timeout", ended(messages.Timeout, messages.RanMaybe), once, LedgerCheck{Calls: 1, Lines: 1, Carried: 1}},
		{"timeout in the queue", ended(messages.Timeout, messages.RanNo), once, LedgerCheck{Calls: 1, Lines: 1, Unexpected: 1}},
		{"unavailable, and carried out", ended(messages.Unavailable, messages.RanNo), once, LedgerCheck{Calls: 1, Lines: 1, Unexpected: 1}},
		{"denied", ended(messages.Denied, messages.RanNo), none, LedgerCheck{Calls: 1}},
		{"the tool said no", ended(messages.ToolError, messages.RanYes), none, LedgerCheck{Calls: 1}},
		{"the tool said no, and wrote", ended(messages.ToolError, messages.RanYes), once, LedgerCheck{Calls: 1, Lines: 1, Unexpected: 1}},
		{"a line of a call that nobody made", nil, once, LedgerCheck{Lines: 1, Unexpected: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, checkLedger(tt.lines, tt.calls)); diff != "" {
				t.Errorf("checkLedger (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger")
	if lines, err := readLines(file); err != nil || lines != nil {
		t.Errorf("no file: %v, %v; want no lines", lines, err)
	}
	if err := os.WriteFile(file, []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines, err := readLines(file); err != nil || !cmp.Equal(lines, []string{"a", "b"}) {
		t.Errorf("readLines = %v, %v", lines, err)
	}
}
