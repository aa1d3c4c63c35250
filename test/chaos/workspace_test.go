package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// supervisorBinary serves the demo servers. It is built without the race detector: the servers are not under test, and
// a strike a tenth of a second needs servers that start fast.
var supervisorBinary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		panic(err)
	}
	supervisorBinary = filepath.Join(dir, "supervisor")
	build := exec.Command("go", "build", "-o", supervisorBinary, "../../cmd/supervisor")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the supervisor: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// workspace writes a workspace with servers of all kinds there are, in turn.
func workspace(t *testing.T, servers int) string {
	t.Helper()
	kinds := commands(t)
	var yaml strings.Builder
	yaml.WriteString("apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: chaos, name: chaos}\nmcp_servers:\n")
	for n := range servers {
		command, err := json.Marshal(kinds[n%len(kinds)])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&yaml, "  - {id: server-%d, command: %s}\n", n, command)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "workspace.yaml"), []byte(yaml.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// commands are one command of each kind. The shells stay: they run one more command when the server has ended.
func commands(t *testing.T) [][]string {
	t.Helper()
	const echo = "${SUPERVISOR}"
	kinds := [][]string{
		{echo, "demo-server", "echo"},
		{"sh", "-c", `"$0" demo-server echo; exit $?`, echo},
		{"sh", "-c", `sh -c '"$0" demo-server clock; exit $?' "$0"; exit $?`, echo},
	}
	if _, err := exec.LookPath("node"); err == nil {
		script, err := filepath.Abs(filepath.Join("testdata", "echo.mjs"))
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, []string{"node", script})
	}
	return kinds
}
