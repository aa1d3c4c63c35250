//go:build unix

package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestContain(t *testing.T) {
	for command, want := range map[string]string{
		"docker run -i --rm img":                    "docker run --init --cidfile CID -i --rm img",
		"docker run -i --init img":                  "docker run --cidfile CID -i --init img",
		"docker run --init=false -i img":            "docker run --cidfile CID --init=false -i img",
		"docker run -i --cidfile /x/cid img":        "docker run --init -i --cidfile /x/cid img",
		"docker run -i --cidfile=cid --init img":    "docker run -i --cidfile=cid --init img",
		"docker container run -i img":               "docker container run --init --cidfile CID -i img",
		"/usr/local/bin/docker run -i img":          "/usr/local/bin/docker run --init --cidfile CID -i img",
		"podman run -i img":                         "podman run --init --cidfile CID -i img",
		"docker exec -i name server":                "docker exec -i name server",
		"docker compose run server":                 "docker compose run server",
		"docker":                                    "docker",
		"npx -y docker run":                         "npx -y docker run",
		"docker run -i -e X=--init img --transport": "docker run --init --cidfile CID -i -e X=--init img --transport",
	} {
		t.Run(command, func(t *testing.T) {
			argv := strings.Fields(command)
			cmd := &exec.Cmd{Path: "/bin/" + argv[0], Args: argv, Dir: "/w"}
			c := contain(cmd)
			t.Cleanup(c.forget)
			got := strings.Join(cmd.Args, " ")
			if c != nil && c.folder != "" {
				got = strings.ReplaceAll(got, c.cidFile, "CID")
			}
			if got != want {
				t.Errorf("got %s", got)
			}
			if diff := cmp.Diff(strings.Fields(command), argv); diff != "" {
				t.Errorf("the declared command was changed: %s", diff)
			}
		})
	}
}

// A fake docker: its container lives in a session of its own and with an environment of its own, as a daemon's does.
const fakeDocker = `#!/bin/sh
echo "$@" >>"$DOCKER_LOG"
case $1 in
run)
	while [ $# -gt 1 ]; do
		[ "$1" != --cidfile ] || { echo c0ffee >"$2"; }
		shift
	done
	exec "$FAKE_EXE" ;;
kill)
	[ -z "$DOCKER_HANG" ] || exec sleep 3600
	[ "$2" = c0ffee ] || exit 1 ;;
esac
`

func TestAContainerIsKilledByItsID(t *testing.T) {
	for name, hang := range map[string]string{"the daemon works": "", "the daemon hangs": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(fakeDocker), 0o700); err != nil {
				t.Fatal(err)
			}
			log := filepath.Join(dir, "log")
			server := fakeServer(t, "ok", "DOCKER_LOG="+log, "DOCKER_HANG="+hang, "PATH="+dir+":"+os.Getenv("PATH"))
			server.Env["FAKE_EXE"] = server.Command[0]
			server.Command = []string{"docker", "run", "-i", "--rm", "some/image"}
			s, err := Open(context.Background(), server, Options{})
			if err != nil {
				t.Fatal(err)
			}
			cid := given(s.link.(*stdio).proc.cmd.Args, "--cidfile")
			began := time.Now()
			s.Close()
			if took := time.Since(began); took > containerTime+5*time.Second {
				t.Errorf("it took %v", took)
			}
			want := "run --init --cidfile " + cid + " -i --rm some/image\nkill c0ffee\n"
			if diff := cmp.Diff(want, read(log)); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(filepath.Dir(cid)); err == nil {
				t.Errorf("%s is left", filepath.Dir(cid))
			}
		})
	}
}

func TestADockerThatDoesNotStartLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	docker := filepath.Join(dir, "docker")
	if err := os.WriteFile(docker, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	server := fakeServer(t, "ok")
	server.Command = []string{docker, "run", "-i", "img"}
	if _, err := Open(context.Background(), server, Options{}); err == nil {
		t.Fatal("it started")
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "mcp-supervisor-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
