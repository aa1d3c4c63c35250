package secrets

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"
)

func keeper(values map[string]string) *Keeper {
	var refs []Reference
	for name := range values {
		refs = append(refs, Reference{Name: name, Source: "env", Config: map[string]string{"env": name}})
	}
	return NewKeeper(refs, Builtin(env(values)))
}

func TestExpand(t *testing.T) {
	k := keeper(map[string]string{"gh": "sk-1", "db": "{credential.gh}", "empty": ""})
	for _, tt := range []struct{ text, want, fault string }{
		{"plain", "plain", ""},
		{"", "", ""},
		{"Bearer {credential.gh}", "Bearer sk-1", ""},
		{"{credential.gh}{credential.gh}!", "sk-1sk-1!", ""},
		{"{credential.db}", "{credential.gh}", ""}, // once
		{"{credential.}", "{credential.}", ""},
		{"{Credential.gh}", "{Credential.gh}", ""},
		{"{credential.nope}", "", `credential "nope" is not declared; declared are db, empty, gh`},
		{"{credential.gh} {credential.empty}", "", `credential "empty" (source env): environment variable empty is empty`},
	} {
		got, err := k.Expand(context.Background(), tt.text)
		if got != tt.want || fmt.Sprint(err) != cmpOr(tt.fault) {
			t.Errorf("Expand(%q) = %q, %v; want %q, %s", tt.text, got, err, tt.want, cmpOr(tt.fault))
		}
	}
	if _, err := keeper(nil).Value(context.Background(), "x"); fmt.Sprint(err) != `credential "x" is not declared; add it to the workspace's credentials` {
		t.Error(err)
	}
	if got := k.Mask("token sk-1"); got != "token [masked:gh]" {
		t.Errorf("an expanded value is not masked: %q", got)
	}
}

func cmpOr(fault string) string {
	if fault == "" {
		return "<nil>"
	}
	return fault
}

func TestMask(t *testing.T) {
	k := keeper(nil)
	if got := k.Mask("nothing known"); got != "nothing known" {
		t.Errorf("got %q", got)
	}
	k.Remember("short", "abc")
	k.Remember("one", "marker-1")
	k.Remember("longer", "marker-1-and-more")
	k.Remember("again", "marker-1")
	k.Remember("pem", "-----BEGIN-----\nMIIabc\r\n  x\n\n")
	k.Remember("odd", "p&ss \"w\"<é>")
	for _, tt := range []struct{ text, want string }{
		{"abc", "abc"},
		{"x marker-1 y marker-1", "x [masked:one] y [masked:one]"},
		{"marker-1-and-more", "[masked:longer]"},
		{"marker-1-and-less", "[masked:one]-and-less"},
		{"line MIIabc.", "line [masked:pem]."},
		{"-----BEGIN-----\nMIIabc\r\n  x\n\n", "[masked:pem]"},
		{`p&ss "w"<é>`, "[masked:odd]"},
		{`{"a":"p&ss \"w\"<é>"}`, `{"a":"[masked:odd]"}`},
		{`{"a":"p\u0026ss \"w\"\u003cé\u003e"}`, `{"a":"[masked:odd]"}`},
		{"?q=p%26ss+%22w%22%3C%C3%A9%3E", "?q=[masked:odd]"},
		{"/p&ss%20%22w%22%3C%C3%A9%3E/", "/[masked:odd]/"},
	} {
		if got := k.Mask(tt.text); got != tt.want {
			t.Errorf("Mask(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestMaskJSON(t *testing.T) {
	k := keeper(nil)
	k.Remember("early", "x") // too short to be masked
	if got := k.MaskJSON(json.RawMessage(`{"a":1}`)); string(got) != `{"a":1}` {
		t.Errorf("got %s", got)
	}
	k.Remember("s", `a"b\c/d`)
	k.Remember("n", "12345678")
	for _, tt := range []struct{ name, raw, want string }{
		{"nothing", ``, ``},
		{"unchanged, to the byte", ` { "a" : 1.0 , "b":["\u0041"] } `, ` { "a" : 1.0 , "b":["\u0041"] } `},
		{"escaped", `{"k":"<a\"b\\c/d>"}`, `{"k":"<[masked:s]>"}`},
		{"escaped otherwise", `{"k":"\u0061\u0022b\u005cc\/d"}`, `{"k":"[masked:s]"}`},
		{"JSON in JSON", `{"k":"{\"t\":\"a\\\"b\\\\c/d\"}"}`, `{"k":"{\"t\":\"[masked:s]\"}"}`},
		{"key", `{"12345678":true}`, `{"[masked:n]":true}`},
		{"number", `[12345678, -12345678.5,1]`, `["[masked:n]", "-[masked:n].5",1]`},
		{"alone", `12345678`, `"[masked:n]"`},
		{"not JSON", `token 12345678`, `"token [masked:n]"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(k.MaskJSON(json.RawMessage(tt.raw)))
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got != "" && !json.Valid([]byte(got)) {
				t.Errorf("not valid JSON: %s", got)
			}
		})
	}
}

// Whatever stands around it, a value never comes through, and JSON stays JSON.
func TestMaskLeavesNoValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[A-Za-z0-9"\\/<&\n ]{6,20}x`), 1, 4).Draw(t, "values")
		k := keeper(nil)
		for i, v := range values {
			k.Remember(fmt.Sprint("v", i), v)
		}
		value := rapid.SampledFrom(values).Draw(t, "value")
		text := rapid.StringMatching(`[^A-Za-z0-9"\\/<& \n]{0,9}`).Draw(t, "before") + value + "…"
		if got := k.Mask(text); strings.Contains(got, value) {
			t.Fatalf("Mask(%q) = %q", text, got)
		}
		raw, err := json.Marshal(map[string]any{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		masked := k.MaskJSON(raw)
		var back map[string]string
		if err := json.Unmarshal(masked, &back); err != nil || strings.Contains(back["text"], value) {
			t.Fatalf("MaskJSON(%s) = %s, %v", raw, masked, err)
		}
	})
}

func FuzzMaskJSON(f *testing.F) {
	k := keeper(nil)
	k.Remember("m", "marker-99")
	k.Remember("n", "1234")
	for _, seed := range []string{`{"a":"marker-99"}`, `"\"`, `[1234e5]`, "\"\xff marker-99\"", `{"\\":"\\\"marker-99"}`, `tru`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := k.MaskJSON(raw)
		if len(raw) > 0 && !json.Valid(got) {
			t.Errorf("%q becomes %q", raw, got)
		}
		if strings.Contains(string(got), "marker-99") {
			t.Errorf("%q keeps the value: %q", raw, got)
		}
	})
}

func TestSensitive(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "ApiKey": true, "X-Api-Key": true, "AWS_SECRET_ACCESS_KEY": true, "db_passwd": true, "PGPASSWORD": true,
		"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "my-credentials": true, "GITHUB_PAT": true, "--auth": true, "pass": true,
		"PATH": false, "HOME": false, "AUTHOR": false, "Accept": false, "COMPASS": false, "LANG": false,
	} {
		if got := Sensitive(name); got != want {
			t.Errorf("Sensitive(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestRememberWhatLooksSecret(t *testing.T) {
	k := keeper(nil)
	k.RememberPairs(map[string]string{"API_KEY": "env-marker", "Authorization": "Bearer head-marker", "URL": "https://h/?x=plain&token=url-marker", "PATH": "/usr/bin"})
	k.RememberArgs([]string{"srv", "--token", "flag-marker", "--api-key=eq-marker", "SECRET=env2-marker", "--dsn=pg://user:pw-marker@h/db", "https://user-marker@h/p?page=plain", "--verbose", "--token"})
	k.RememberURL("u", "https://%zz")
	text := "env-marker head-marker url-marker flag-marker eq-marker env2-marker pw-marker user-marker /usr/bin plain --verbose"
	want := "[masked:API_KEY] [masked:Authorization] [masked:token] [masked:token] [masked:api-key] [masked:SECRET] [masked:url] [masked:url] /usr/bin plain --verbose"
	if diff := cmp.Diff(want, k.Mask(text)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestConcurrentUse(t *testing.T) {
	k := keeper(map[string]string{"gh": "sk-marker"})
	var g errgroup.Group
	for i := range 8 {
		g.Go(func() error {
			for j := range 50 {
				k.Remember("x", fmt.Sprintf("value-%d-%d", i, j))
				if _, err := k.Expand(context.Background(), "{credential.gh}"); err != nil {
					return err
				}
				if got := k.Mask("sk-marker"); got != "[masked:gh]" {
					return fmt.Errorf("got %q", got)
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
