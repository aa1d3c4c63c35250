package demoserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	leave(t, path, "of a process before\n")
	session := connect(t, "ledger", path)
	for _, tc := range []struct{ key, want string }{
		{"a-1", "a-1"},
		{"a-2", "a-2"},
		{"a-1", "a-1"},
		{"two\nlines", "error: key must be one line"},
		{"", "error: key must be one line"},
		{strings.Repeat("k", maxKey+1), "error: key has 257 bytes"},
	} {
		if got := call(t, session, "record", args{"key": tc.key}); !strings.HasPrefix(got, tc.want) {
			t.Errorf("record(%.20q) = %q, want %q", tc.key, got, tc.want)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("of a process before\na-1\na-2\na-1\n", string(got)); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}

func TestLedgerRefusesAFileItCannotWrite(t *testing.T) {
	if err := openLedger(&host{}, []string{t.TempDir()}); err == nil {
		t.Error("a folder is no ledger")
	}
}
