package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	tests := []struct {
		name, in string
		paths    []string
		want     string
	}{
		{"no path", `{"a": 1}`, nil, `{"a": 1}`},
		{"no arguments", ``, []string{"$.a"}, ``},
		{"a field", `{"user":"u","password":"p"}`, []string{"$.password"}, `{"password":"[redacted]","user":"u"}`},
		{"a field by its dotted name", `{"headers":{"authorization":"b","accept":"*"}}`, []string{"headers.authorization"}, `{"headers":{"accept":"*","authorization":"[redacted]"}}`},
		{"in every element", `{"items":[{"key":1},{"key":2,"n":3}]}`, []string{"$.items[*].key"}, `{"items":[{"key":"[redacted]"},{"key":"[redacted]","n":3}]}`},
		{"in every element, by its dotted name", `{"items":[{"key":1},[{"key":2}],3],"n":4}`, []string{"items.key"}, `{"items":[{"key":"[redacted]"},[{"key":"[redacted]"}],3],"n":4}`},
		{"a name that JSONPath does not take", `{"headers":{"x-key":"b"}}`, []string{"headers.x-key"}, `{"headers":{"x-key":"[redacted]"}}`},
		{"an array by its name", `{"keys":[1,2]}`, []string{"keys"}, `{"keys":"[redacted]"}`},
		{"at any depth", `{"a":{"token":"x"},"b":[{"token":"y"}]}`, []string{"$..token"}, `{"a":{"token":"[redacted]"},"b":[{"token":"[redacted]"}]}`},
		{"a whole branch", `{"a":{"b":{"c":1}}}`, []string{"$.a.b"}, `{"a":{"b":"[redacted]"}}`},
		{"inside of what is redacted", `{"a":{"b":1}}`, []string{"$.a", "$.a.b"}, `{"a":"[redacted]"}`},
		{"everything", `{"a":1}`, []string{"$"}, `"[redacted]"`},
		{"a field that is not there", `{"a":1}`, []string{"$.b"}, `{"a":1}`},
		{"big integers keep their digits", `{"n":9007199254740993,"p":1}`, []string{"$.p"}, `{"n":9007199254740993,"p":"[redacted]"}`},
		{"a path that is none", `{"a":1}`, []string{"$.[["}, `"[redacted]"`},
		{"no JSON", `{"a":`, []string{"$.a"}, `"[redacted]"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Apply(json.RawMessage(tt.in), tt.paths)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	if err := Check("$.a[0].b"); err != nil {
		t.Error(err)
	}
	if err := Check("$.a["); err == nil || !strings.Contains(err.Error(), "JSONPath") {
		t.Errorf("%v", err)
	}
}

// Whatever the arguments are, the value at the path is gone.
func FuzzApply(f *testing.F) {
	f.Add(`{"secret":"marker"}`)
	f.Add(`{"secret":{"a":"marker"},"b":["marker"]}`)
	f.Add(`{"secret":"marker","secret":"marker"}`)
	f.Fuzz(func(t *testing.T, in string) {
		got := Apply(json.RawMessage(in), []string{"$.secret"})
		var tree map[string]any
		if json.Unmarshal(got, &tree) == nil {
			if v, there := tree["secret"]; there && v != Word {
				t.Fatalf("%s of %s", got, in)
			}
		}
	})
}
