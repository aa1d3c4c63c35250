package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

const oneServer = "  - {id: db, command: [db]}\n"

func TestServersAreToldByHand(t *testing.T) {
	up := messages.ServerStatus{ID: "db", State: messages.StateUp, PID: 123, Tools: 12}
	for name, c := range map[string]struct {
		args   []string
		status messages.ServerStatus
		err    error
		told   string
		want   ran
	}{
		"it is up": {
			args: []string{"start", "db"}, status: up, told: "start db",
			want: ran{Out: "db: up, pid 123, 12 tools\n"},
		},
		"a remote one is up": {
			args: []string{"restart", "db"}, status: messages.ServerStatus{ID: "db", State: messages.StateUp, Tools: 1}, told: "restart db",
			want: ran{Out: "db: up, 1 tool\n"},
		},
		"it is stopped": {
			args: []string{"stop", "db"}, status: messages.ServerStatus{ID: "db", State: messages.StateStopped}, told: "stop db",
			want: ran{Out: "db: stopped\n"},
		},
		"as JSON": {
			args: []string{"stop", "db", "--json"}, status: messages.ServerStatus{ID: "db", State: messages.StateStopped}, told: "stop db",
			want: ran{Out: `{"id":"db","state":"stopped","incarnation":0,"tools":0,"in_flight":0,"queued":0,"restarts":0,"window":0,"budget":0}` + "\n"},
		},
		"it is not declared": {
			args: []string{"stop", "bd"}, err: &actors.RunError{Outcome: messages.Invalid, Message: "there is no MCP server `bd`"}, told: "stop bd",
			want: ran{Code: 2, Err: "supervisor: there is no MCP server `bd`\n"},
		},
		"it did not come up": {
			args: []string{"start", "db"}, told: "start db",
			err: &actors.RunError{
				Outcome: messages.Unavailable, Message: "server `db` is down (exited with code 3)",
				Exit: &messages.Exit{Code: 3, StderrTail: []string{"reading licence", "none found\x1b"}},
			},
			want: ran{Code: 4, Err: "supervisor: server `db` is down (exited with code 3)\n  stderr | reading licence\n  stderr | none found\\u001b\n"},
		},
		"the owner has a bug": {
			args: []string{"start", "db"}, err: errors.New("boom"), told: "start db",
			want: ran{Code: 10, Err: "supervisor: boom\n"},
		},
		"no server is named": {
			args: []string{"stop", ""},
			want: ran{Code: 2, Err: "supervisor: SERVER must not be empty\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, told := newFolder(t, oneServer), ""
			owned(t, dir, fakeOwner{tell: func(verb, id string) (messages.ServerStatus, error) {
				told = verb + " " + id
				return c.status, c.err
			}})
			if diff := cmp.Diff(c.want, command(t, append(c.args, "-w", dir)...)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.args, diff)
			}
			if told != c.told {
				t.Errorf("the owner was told %q, want %q", told, c.told)
			}
		})
	}
}

func TestWithoutAnOwnerNobodyIsTold(t *testing.T) {
	for _, args := range [][]string{{"start", "db"}, {"stop", "db"}, {"restart", "db"}, {"reload"}} {
		dir := newFolder(t, oneServer)
		want := ran{Code: 4, Err: "supervisor: nobody runs this workspace; `supervisor serve " + dir + "` does\n"}
		if diff := cmp.Diff(want, command(t, append(args, "-w", dir)...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", args, diff)
		}
	}
}

func TestReload(t *testing.T) {
	for name, c := range map[string]struct {
		result actors.ReloadResult
		err    error
		args   []string
		want   ran
	}{
		"all kinds of changes": {
			result: actors.ReloadResult{
				Added: []string{"a"}, Changed: []string{"b", "c"}, Removed: []string{"d"}, Unchanged: []string{"e"}, Gate: true,
				Warnings: []string{"w"},
			},
			want: ran{Out: "+ a\n~ b\n~ c\n- d\nthe gate decides by the new files\n1 server unchanged\n", Err: "warning: w\n"},
		},
		"settings and groups": {
			result: actors.ReloadResult{Tuned: []string{"a"}, Supervision: []string{"max_starts", "group `g` added"}},
			want:   ran{Out: "= a\nsupervision: max_starts\nsupervision: group `g` added\n0 servers unchanged\n"},
		},
		"no change": {
			result: actors.ReloadResult{Unchanged: []string{"a", "b"}},
			want:   ran{Out: "nothing to apply; 2 servers unchanged\n"},
		},
		"as JSON": {
			result: actors.ReloadResult{Digest: "ab", Added: []string{"a"}}, args: []string{"--json"},
			want: ran{Out: `{"digest":"ab","added":["a"]}` + "\n"},
		},
		"faults": {
			err:  &actors.RunError{Outcome: messages.Invalid, Message: "workspace.yaml:3: kind: missing\nworkspace.yaml:7: id: missing"},
			want: ran{Code: 2, Err: "supervisor: workspace.yaml:3: kind: missing\nworkspace.yaml:7: id: missing\nnothing was changed\n"},
		},
		"the owner is stopping": {
			err:  &actors.RunError{Outcome: messages.Stopped, Message: "the supervisor is shutting down"},
			want: ran{Code: 9, Err: "supervisor: the supervisor is shutting down\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newFolder(t, oneServer)
			owned(t, dir, fakeOwner{reload: func() (actors.ReloadResult, error) { return c.result, c.err }})
			if diff := cmp.Diff(c.want, command(t, append([]string{"reload", dir}, c.args...)...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
