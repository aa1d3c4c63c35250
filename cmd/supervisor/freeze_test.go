package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/governance"
)

// switchboard is an owner whose kill switch tells what was asked of it.
type switchboard struct {
	fakeOwner
	asked *[]governance.Frozen
	err   error
}

func (s switchboard) Freeze(_ context.Context, f governance.Frozen) (governance.Frozen, error) {
	*s.asked = append(*s.asked, f)
	return s.frozen.With(f), s.err
}

func (s switchboard) Thaw(_ context.Context, f governance.Frozen) (governance.Frozen, error) {
	*s.asked = append(*s.asked, f)
	return s.frozen.Without(f), s.err
}

func TestFreezeAndThaw(t *testing.T) {
	now := governance.Frozen{Agents: []string{"gone", "t/boss"}, Servers: []string{"db"}}
	for name, c := range map[string]struct {
		args  string
		files string // servers; oneServer when empty
		err   error
		asked *governance.Frozen
		want  ran
	}{
		"a server by its name": {
			args: "freeze db", asked: &governance.Frozen{Servers: []string{"db"}},
			want: ran{Out: "frozen: agent `gone`, agent `t/boss`, server `db`\n"},
		},
		"an operator, and a server by a flag": {
			args: "freeze operator --server db", asked: &governance.Frozen{Agents: []string{"operator"}, Servers: []string{"db"}},
			want: ran{Out: "frozen: agent `gone`, agent `operator`, agent `t/boss`, server `db`\n"},
		},
		"while the files have faults, by flags only": {
			args: "freeze --server db", files: "  - broken: [\n", asked: &governance.Frozen{Servers: []string{"db"}},
			want: ran{Out: "frozen: agent `gone`, agent `t/boss`, server `db`\n"},
		},
		"while the files have faults, by name": {
			args: "freeze db", files: "  - broken: [\n",
			want: ran{Code: 2, Err: "supervisor: the workspace's files have faults, so that nobody knows what \"db\" is: use --agent or --server\n"},
		},
		"what cannot be kept is in force": {
			args: "freeze --all", err: errors.New("disk full"), asked: &governance.Frozen{All: true},
			want: ran{Code: 10, Out: "frozen: everything, agent `gone`, agent `t/boss`, server `db`\n", Err: "supervisor: disk full\n"},
		},
		"thawed are also those that are not declared any more": {
			args: "thaw gone t/boss", asked: &governance.Frozen{Agents: []string{"gone", "t/boss"}},
			want: ran{Out: "frozen: server `db`\n"},
		},
		"as JSON": {
			args: "thaw --all --json", asked: &governance.Frozen{All: true},
			want: ran{Out: "{}\n"},
		},
		"one that is not frozen": {
			args: "thaw boss",
			want: ran{Code: 2, Err: "supervisor: \"boss\" is not frozen; frozen is agent `gone`, agent `t/boss`, server `db`\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newFolder(t, orElse(c.files, oneServer))
			var asked []governance.Frozen
			owned(t, dir, switchboard{fakeOwner: fakeOwner{frozen: now}, asked: &asked, err: c.err})
			if diff := cmp.Diff(c.want, command(t, append(strings.Fields(c.args), "-w", dir)...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var want []governance.Frozen
			if c.asked != nil {
				want = append(want, *c.asked)
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Errorf("the owner was asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatusTellsWhatIsFrozenFirst(t *testing.T) {
	dir := newFolder(t, oneServer)
	owned(t, dir, fakeOwner{frozen: governance.Frozen{Servers: []string{"db"}}})
	if got := command(t, "status", dir); !strings.HasPrefix(got.Out, "frozen: server `db`\n") || got.Code != 0 {
		t.Errorf("status = %+v", got)
	}
}
