package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lateSleep stands in for the sleep between the guardian's looks. The first time, a new process with the cookie comes up:
// somebody was between fork and exec while the guardian looked.
const lateSleep = `#!/bin/sh
echo "$1" >>%[1]s
[ "$(grep -c . <%[1]s)" -eq 1 ] || exit 0
%[2]s=%[3]s/1 setsid /bin/sleep %[4]s </dev/null >/dev/null 2>&1 &
until grep -qs %[3]s "/proc/$!/environ"; do :; done
`

func TestTheGuardianLooksUntilTwoLooksFindNothing(t *testing.T) {
	dir, mark, instance := t.TempDir(), mark(t), newInstance().String()
	log := filepath.Join(dir, "log")
	script := fmt.Sprintf(lateSleep, log, cookieName, instance, mark)
	if err := os.WriteFile(filepath.Join(dir, "sleep"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for end, looks := range map[string]int{"": 4, "end\n": 0} { // nothing; the late one; nothing; nothing
		os.Remove(log)
		shell := exec.Command("sh", "-c", guardianScript, "guardian", cookieName)
		shell.Env = []string{"PATH=" + dir + ":" + guardianPath()}
		shell.Stdin = strings.NewReader("instance " + instance + "\nadd 1000000000\nadd 1000000001\ndel 1000000000\n" + end)
		if out, err := shell.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		if got := strings.Count(read(log), "\n"); got != max(looks-1, 0) {
			t.Errorf("%d pauses between %d looks", got, looks)
		}
		if left := marked(mark); len(left) > 0 {
			t.Errorf("%v left", left)
		}
	}
}
