package mcp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	const rest = " 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 4711 9 10"
	sleeping := procStat{state: "S", parent: 1, group: 42, leader: 41, threads: 3, start: "4711"}
	for name, test := range map[string]struct {
		line string
		want procStat
		ok   bool
	}{
		"plain":              {"7 (sleep) S 1 42 41" + rest, sleeping, true},
		"brackets in a name": {"7 (a) b) S 1 42 41" + rest, sleeping, true},
		"lines in a name":    {"7 (a\nb) Z 9 9) S 1 42 41" + rest, sleeping, true},
		"cut off":            {"7 (sleep) S 1 42", procStat{}, false},
		"no number":          {"7 (sleep) S x 42 41" + rest, procStat{state: "S", group: 42, leader: 41, threads: 3, start: "4711"}, false},
		"nothing":            {"", procStat{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := parseStat([]byte(test.line))
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(procStat{})); diff != "" || ok != test.ok {
				t.Errorf("ok %v\n%s", ok, diff)
			}
		})
	}
}
