package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedactsAreThoseOfEachPermitThatMayBeForTheTool(t *testing.T) {
	set, err := Load([]File{{Name: "a.cedar", Text: []byte(`
@redact("all") permit (principal, action, resource) when { context.arguments.nope == 1 };
@redact("key, $.token") permit (principal == Agent::"t/a", action, resource == Tool::"s/write");
@redact("server, key") permit (principal, action, resource in Server::"s");
@redact("other") permit (principal, action, resource == Tool::"s/read");
forbid (principal, action, resource);`)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		server, tool string
		want         []string
	}{
		{"s", "write", []string{"all", "key", "server", "token"}},
		{"s", "read", []string{"all", "key", "other", "server"}},
		{"x", "write", []string{"all"}},
	} {
		if diff := cmp.Diff(tt.want, set.Redacts(tt.server, tt.tool)); diff != "" {
			t.Errorf("%s/%s: -want +got:\n%s", tt.server, tt.tool, diff)
		}
	}
}
