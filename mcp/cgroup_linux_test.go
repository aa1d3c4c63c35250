package mcp

import "testing"

func TestCgroupFolder(t *testing.T) {
	const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
	const hybrid = "31 30 0:37 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n40 30 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	const container = "40 30 0:38 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	for name, test := range map[string]struct{ mounts, groups, want string }{
		"unified":           {unified, "0::/user.slice/user-1000.slice/x.service\n", "/sys/fs/cgroup/user.slice/user-1000.slice/x.service"},
		"at the top":        {unified, "0::/\n", "/sys/fs/cgroup"},
		"beside version 1":  {hybrid, "9:name=systemd:/init\n0::/init.scope\n", "/sys/fs/cgroup/unified/init.scope"},
		"in a container":    {container, "0::/docker/abc/x\n", "/sys/fs/cgroup/x"},
		"out of what shows": {container, "0::/docker/other\n", ""},
		"version 1 only":    {"31 30 0:37 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "3:cpu:/\n", ""},
		"nothing":           {"", "", ""},
	} {
		got, ok := cgroupFolder(test.mounts, test.groups)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

func TestNoBoxIsNoTrouble(t *testing.T) {
	var b *box
	if c := b.cell(); c != nil || b.path() != "" || !b.remove() {
		t.Error("a nil box gave a cell")
	}
	var c *cell
	if c.kill(); !c.remove() {
		t.Error("a nil cell is not gone")
	}
}
