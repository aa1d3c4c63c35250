//go:build unix

package mcp

import (
	"strings"
	"testing"
)

func TestOddToolLists(t *testing.T) {
	tests := []struct {
		mode, names, warning string
	}{
		{"ok", "echo sleep", ""},
		{"no-tools", "", ""},
		{"null-list", "", ""},
		{"pages", "page_00 page_01 page_02 page_03 page_04 page_05 page_06 page_07 page_08 page_09", ""},
		{"same-cursor", "echo sleep", "repeats the cursor"},
		{"bad-tools", "echo sleep bare", "tool left out: it has no name"},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			var n notes
			s := openFake(t, fakeServer(t, test.mode), &n)
			var names []string
			for _, tool := range s.Catalogue().Tools {
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != test.names {
				t.Errorf("tools %s", got)
			}
			if !strings.Contains(n.text(), test.warning) || (test.warning == "") != (n.text() == "") {
				t.Errorf("warned of %q", n.text())
			}
			if c := s.Catalogue(); c.Implementation != "fake 9" || c.Protocol != "2025-11-25" || c.Instructions != "be kind" {
				t.Errorf("%+v", c)
			}
		})
	}
}
