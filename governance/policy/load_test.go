package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFaults(t *testing.T) {
	tests := []struct {
		name  string
		texts []string
		want  []string
	}{
		{
			"a semicolon is missing",
			[]string{lines(`permit (principal, action, resource)`, `permit (principal, action, resource);`)},
			[]string{"policies/1.cedar:2:1: found `permit` where `;` belongs (end each policy with a semicolon)"},
		},
		{
			"the last semicolon is missing",
			[]string{`permit (principal, action, resource)`},
			[]string{"policies/1.cedar:1:37: the policy ends where `;` belongs (end each policy with a semicolon)"},
		},
		{
			"every policy with a fault is told, in every file",
			[]string{
				lines(`permit (principal, action, resource);`, `// a comment; with a semicolon`, `  permit (who, action, resource);`, `forbid (principal, action, resource) when { "a;b" == };`),
				lines(``, `allow (principal, action, resource);`),
			},
			[]string{
				"policies/1.cedar:3:11: found `who` where `principal` belongs (a policy begins with permit or forbid (principal, action, resource))",
				"policies/1.cedar:4:55: invalid primary, near `;`",
				"policies/2.cedar:2:7: unexpected effect: allow, near `(`",
			},
		},
		{
			"a string without an end",
			[]string{lines(`permit (principal, action, resource) when { resource.name == "abc };`, ``)},
			[]string{"policies/1.cedar:1:62: literal not terminated"},
		},
		{
			"an annotation that is twice",
			[]string{`@id("a") @id("b") permit (principal, action, resource);`},
			[]string{"policies/1.cedar:1:13: duplicate annotation: @id, near `(`"},
		},
		{
			"no such function",
			[]string{`permit (principal, action, resource) when { foo("x") };`},
			[]string{"policies/1.cedar:1:49: `foo` is not a function, near `\"x\"`"},
		},
		{
			"a misspelt annotation",
			[]string{lines(`permit (principal, action, resource);`, `@id("a")`, `@aprove("why")`, `permit (principal, action, resource);`)},
			[]string{"policies/1.cedar:3:1: unknown annotation @aprove (did you mean `approve`?)"},
		},
		{
			"an annotation of somebody else",
			[]string{`@severity("high") permit (principal, action, resource);`},
			[]string{"policies/1.cedar:1:1: unknown annotation @severity (there are @approve, @description, @id, @reason, @redact)"},
		},
		{
			"an approval of a forbid",
			[]string{`@approve("why") forbid (principal, action, resource);`},
			[]string{"policies/1.cedar:1:1: @approve means nothing on a forbid (put it on a permit; for people who read the policy there is @description)"},
		},
		{
			"a redaction on a forbid",
			[]string{`@redact("a") forbid (principal, action, resource);`},
			[]string{"policies/1.cedar:1:1: @redact means nothing on a forbid (put it on a permit; for people who read the policy there is @description)"},
		},
		{
			"a reason on a permit",
			[]string{`@reason("because") permit (principal, action, resource);`},
			[]string{"policies/1.cedar:1:1: @reason means nothing on a permit (put it on a forbid; for people who read the policy there is @description)"},
		},
		{
			"empty annotations",
			[]string{lines(`@id`, `@approve(" ")`, `@redact("")`, `permit (principal, action, resource);`)},
			[]string{
				"policies/1.cedar:1:1: @id: it is empty; name the policy, for example @id(\"read-data\")",
				"policies/1.cedar:2:1: @approve: it is empty; say in a sentence why",
				"policies/1.cedar:3:1: @redact: `` is no path into the arguments; write the names with dots between them, as in $.headers.authorization",
			},
		},
		{
			"names that are not for policies",
			[]string{`@id("policy:error") permit (principal, action, resource);`, "@id(\"a\\nb\") permit (principal, action, resource);"},
			[]string{
				"policies/1.cedar:1:1: @id: names that begin with policy: are for decisions that no policy made",
				"policies/2.cedar:1:1: @id: a name is one line without control characters",
			},
		},
		{
			"a reason that would steer a terminal",
			[]string{`@reason("\u{1b}[2J") forbid (principal, action, resource);`},
			[]string{"policies/1.cedar:1:1: @reason: it has control characters; write plain text"},
		},
		{
			"a path that is none",
			[]string{`@redact("$.items[0].token") permit (principal, action, resource);`},
			[]string{"policies/1.cedar:1:1: @redact: `$.items[0].token` is no path into the arguments; write the names with dots between them, as in $.headers.authorization"},
		},
		{
			"a name that is taken",
			[]string{`@id("a") permit (principal, action, resource);`, lines(`@id("b") permit (principal, action, resource);`, `@description("ä") @id("a") forbid (principal, action, resource);`)},
			[]string{"policies/2.cedar:2:24: the name `a` is taken by the policy at policies/1.cedar:1:1 (give each policy an @id of its own)"},
		},
		{
			"an id that is the name of a policy without one",
			[]string{`permit (principal, action, resource);`, `@id("1.cedar#1") permit (principal, action, resource);`},
			[]string{"policies/2.cedar:1:6: the name `1.cedar#1` is taken by the policy at policies/1.cedar:1:1 (give each policy an @id of its own)"},
		},
		{
			"no text",
			[]string{"\xff\xfe"},
			[]string{"policies/1.cedar:1:1: invalid UTF-8 encoding"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(files(tt.texts...))
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatalf("Load = %v, want faults", err)
			}
			var got []string
			for _, f := range faults {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s\n%v", diff, err)
			}
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVersionIsOfNamesAndTexts(t *testing.T) {
	loaded := func(fs ...File) string {
		s, err := Load(fs)
		if err != nil {
			t.Fatal(err)
		}
		return s.Version()
	}
	a, b := File{"a.cedar", []byte("// 1")}, File{"b.cedar", []byte("// 2")}
	if loaded(a, b) != loaded(b, a) {
		t.Error("the order of files changes the version")
	}
	if len(loaded(a)) != 64 {
		t.Errorf("%q is no hex SHA-256", loaded(a))
	}
	seen := map[string]bool{}
	for _, fs := range [][]File{
		nil,
		{a},
		{a, b},
		{{"b.cedar", a.Text}},
		{{"a.cedar", []byte("// 1 ")}},
		{{"a.cedar//", []byte(" 1")}},
		{{"a.cedar", nil}, {"b.cedar", []byte("// 1// 2")}},
	} {
		v := version(fs)
		if seen[v] {
			t.Errorf("%v has the version of others", fs)
		}
		seen[v] = true
	}
}

func TestLen(t *testing.T) {
	if n := load(t).Len(); n != 0 {
		t.Errorf("an empty set has %d policies", n)
	}
	if n := load(t, permitAll, "forbid (principal, action, resource); forbid (principal, action, resource);").Len(); n != 3 {
		t.Errorf("got %d, want 3", n)
	}
	var none Set
	if v := none.Decide(reading()); v.Rule != RuleDefaultDeny {
		t.Errorf("the zero set said %+v", v)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(permitAll))
	f.Add([]byte("@id(\"a\")\npermit (principal, action in [], resource)\nwhen { \"\\\";\" == 1 }; // ;\n forbid"))
	f.Add([]byte("permit(principal,action,resource)unless{context has \"a b\"};\"\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Load([]File{{"f.cedar", text}})
		var faults Faults
		switch {
		case err == nil:
			s.Decide(reading())
			s.Explain(reading())
			s.Check(World{})
		case !errors.As(err, &faults) || len(faults) == 0:
			t.Errorf("an error without faults: %v", err)
		default:
			for _, fault := range faults {
				if fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
					t.Errorf("a fault that helps nobody: %+v", fault)
				}
			}
		}
	})
}
