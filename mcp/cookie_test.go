package mcp

import (
	"strings"
	"testing"
)

func TestCookiesNameTheirInstance(t *testing.T) {
	a, b := newInstance(), newInstance()
	if a == b || a.String() == b.String() {
		t.Errorf("two instances in one process are not told apart: %v", a)
	}
	if strings.ContainsFunc(a.cookie(1), func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-./", r)
	}) {
		t.Errorf("the guardian's shell would have to quote %q", a.cookie(1))
	}
	for _, cookie := range []string{a.String(), a.cookie(1), a.cookie(1 << 40)} {
		if got, ok := parseInstance(cookie); !ok || got != a {
			t.Errorf("%q: %v, %v", cookie, got, ok)
		}
	}
	for _, cookie := range []string{"", "/", "x", "a.b.c.d", "a.b.0.d.e", "a.b.-1.d.e", "a.b.x.d.e", "a.b.1.d.e.f", "a.b./1.d.e"} {
		if got, ok := parseInstance(cookie); ok {
			t.Errorf("%q: %v", cookie, got)
		}
	}
}

func TestOnlyTheProvablyDeadAreDead(t *testing.T) {
	us := instance{boot: "now", space: "1", pid: 10, start: "500", random: "a"}
	runs := func(pid int, start string) bool { return pid == 20 && start == "600" }
	for name, test := range map[string]struct {
		them instance
		dead bool
	}{
		"alive":                          {instance{boot: "now", space: "1", pid: 20, start: "600"}, false},
		"gone":                           {instance{boot: "now", space: "1", pid: 21, start: "600"}, true},
		"its pid is used again":          {instance{boot: "now", space: "1", pid: 20, start: "599"}, true},
		"before the last boot":           {instance{boot: "then", space: "1", pid: 20, start: "600"}, true},
		"in another container":           {instance{boot: "now", space: "2", pid: 21, start: "600"}, false},
		"in another container, long ago": {instance{boot: "then", space: "2", pid: 21, start: "600"}, false},
		"without a boot":                 {instance{space: "1", pid: 21, start: "600"}, false},
		"without a start":                {instance{boot: "now", space: "1", pid: 21}, false},
		"without a namespace":            {instance{boot: "now", pid: 21, start: "600"}, false},
	} {
		if got := test.them.dead(us, runs); got != test.dead {
			t.Errorf("%s: dead %v", name, got)
		}
	}
}

func FuzzParseInstance(f *testing.F) {
	f.Add("boot.1.2.3.r/7")
	f.Add("....")
	f.Fuzz(func(t *testing.T, cookie string) {
		if i, ok := parseInstance(cookie); ok {
			if again, ok := parseInstance(i.cookie(1)); !ok || again != i {
				t.Errorf("%q: %v is not %v", cookie, again, i)
			}
		}
	})
}
