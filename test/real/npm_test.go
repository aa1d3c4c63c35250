package real

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packages are pinned: a test must not change because somebody published something.
var packages = []string{
	"@modelcontextprotocol/server-everything@2026.8.31",
	"@modelcontextprotocol/server-filesystem@2026.8.31",
	"@modelcontextprotocol/server-memory@2026.8.31",
	"@modelcontextprotocol/server-sequential-thinking@2026.8.31",
	"@playwright/mcp@0.0.83", // lists its tools without a browser
}

var (
	installed   string // the folder with node_modules
	errNotThere error  // why there is none
	errNoNPM    = errors.New("npm is not installed")
	errInstall  = errors.New("npm cannot install the servers")
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "real")
	if err != nil {
		panic(err)
	}
	installed, errNotThere = dir, install(dir)
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func install(dir string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errNoNPM
	}
	args := append([]string{"install", "--prefer-offline", "--no-audit", "--no-fund", "--prefix", dir}, packages...)
	if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %w: %s", errInstall, err, out)
	}
	return nil
}

// needServers skips a test where the servers cannot be had; in CI that is a failure.
func needServers(t *testing.T) {
	t.Helper()
	switch {
	case testing.Short():
		t.Skip("real servers are not started in short mode")
	case errNotThere != nil && os.Getenv("CI") != "":
		t.Fatal(errNotThere)
	case errNotThere != nil:
		t.Skipf("no real servers to test with: %v", errNotThere)
	}
}

// group lists the processes of a process group, leader first, by what they run.
func group(t *testing.T, leader int) map[int]string {
	t.Helper()
	found := map[int]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
		fields := strings.Fields(string(text[end+1:])) // state ppid pgrp ...
		var pid int
		if _, err := fmt.Sscan(string(text[:open]), &pid); err == nil && fields[2] == fmt.Sprint(leader) && fields[0] != "Z" {
			found[pid] = string(text[open+1 : end])
		}
	}
	return found
}
