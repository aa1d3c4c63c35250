package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	s := load(t, lines(
		`@id("read") @redact("b, $.a") permit (principal, action, resource) when { resource.effect == "read" };`,
		`@id("ask") @approve("why") permit (principal, action, resource == Tool::"files/move");`,
		`@id("no") @reason("R") forbid (principal, action, resource == Tool::"files/wipe");`,
	))
	call := func(tool string) Request {
		return with(func(r *Request) {
			r.Tool = tool
			if tool != "read" {
				r.Effect = ""
			}
		})
	}
	tests := []struct {
		name    string
		request Request
		want    Want
		got     string
		why     string
	}{
		{"as wanted", call("read"), Want{Decision: Allow}, Allow, ""},
		{"with its rule", call("read"), Want{Decision: Allow, Rule: "read"}, Allow, ""},
		{"with its redactions, in any order and form", call("read"), Want{Decision: Allow, Redact: []string{"$.b", "a"}}, Allow, ""},
		{"asks", call("move"), Want{Decision: Approve, Rule: "ask"}, Approve, ""},
		{"denies", call("wipe"), Want{Decision: Deny, Rule: "no"}, Deny, ""},
		{"allowed, not denied", call("read"), Want{Decision: Deny}, Allow, "want deny, got allow; decided by read"},
		{
			"asks, where it should allow", call("move"),
			Want{Decision: Allow},
			Approve,
			"want allow, got approve; decided by ask: a person has to approve the call, because of policy ask: why",
		},
		{
			"denied by another rule", call("write"),
			Want{Decision: Deny, Rule: "no"},
			Deny,
			`want it decided by no, got policy:default-deny; decided by policy:default-deny: a permit has to match; in scope are: read (this does not hold: resource.effect == "read")`,
		},
		{"redacts more", call("read"), Want{Decision: Allow, Redact: []string{"a"}}, Allow, "want [a] redacted, got [a b]; decided by read"},
		{"redacts, where nothing should be", call("read"), Want{Decision: Allow, Redact: []string{}}, Allow, "want [] redacted, got [a b]; decided by read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.Run([]Case{{tt.name, tt.request, tt.want}})
			want := []Result{{Name: tt.name, OK: tt.why == "", Got: tt.got, Verdict: s.Decide(tt.request), Why: tt.why}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Run (-want +got):\n%s", diff)
			}
		})
	}
}
