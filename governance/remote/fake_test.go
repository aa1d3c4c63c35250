package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes the test binary a governance provider when it is asked to be one, and one that misbehaves in all the
// ways that are listed in fakes.
func TestMain(m *testing.M) {
	if fake, ok := fakes[os.Getenv("FAKE")]; ok {
		fake()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const allow = `{"version":1,"allowed":true,"rule":"fake"}`

var fakes = map[string]func(){
	// say answers what it was told to say.
	"say": func() { io.Copy(io.Discard, os.Stdin); fmt.Print(os.Getenv("SAY")) },
	// deaf answers without reading.
	"deaf": func() { fmt.Print(allow) },
	// show denies, and gives its environment, folder, arguments and request as the reason.
	"show": func() {
		request, _ := io.ReadAll(os.Stdin)
		dir, _ := os.Getwd()
		var names []string
		for _, entry := range os.Environ() {
			name, _, _ := strings.Cut(entry, "=")
			names = append(names, name)
		}
		reason, _ := json.Marshal(fmt.Sprintf("env=%s dir=%s args=%s %s", strings.Join(names, ","), dir, os.Args[1:], request))
		fmt.Printf(`{"version":1,"allowed":false,"reason":%s}`, reason)
	},
	"fail": func() {
		fmt.Print(allow)
		fmt.Fprint(os.Stderr, "no\n\x1b[8mmodel"+strings.Repeat("!", 10_000))
		os.Exit(3)
	},
	"flood": func() { fmt.Print(strings.Repeat(" ", 2*maxAnswer) + allow) },
	"hang":  func() { connect() },
	// brood hangs together with a child.
	"brood": func() { child("hang"); connect() },
	// leave answers and leaves a child behind that holds the output.
	"leave": func() { child("hang"); fmt.Print(allow) },
}

// connect tells the test that a process is there: the connection breaks when it is gone.
func connect() {
	conn, err := net.Dial("tcp", os.Getenv("HOST"))
	if err != nil {
		os.Exit(4)
	}
	io.Copy(io.Discard, conn)
}

func child(mode string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stdout = append(os.Environ(), "FAKE="+mode), os.Stdout
	if err := cmd.Start(); err != nil {
		os.Exit(5)
	}
}

// fake is a provider of the kind, with some more environment.
func fake(t *testing.T, kind string, env map[string]string) *Provider {
	t.Helper()
	vars := map[string]string{"FAKE": kind, "GORACE": "atexit_sleep_ms=0"} // the race detector would wait a second
	for name, value := range env {
		vars[name] = value
	}
	p, err := NewExec(Exec{Command: []string{os.Args[0], "a b", "$HOME"}, Env: vars, Dir: t.TempDir(), Timeout: bound})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compact is JSON without the white space that makes it readable.
func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
