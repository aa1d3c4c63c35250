package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

func TestReadTool(t *testing.T) {
	yes, no := new(true), new(false)
	tests := []struct {
		raw  string
		want spec.Tool
		err  string
	}{
		{
			`{"name":"a","description":"d","inputSchema":{"b":1, "a":2},"x":1}`,
			spec.Tool{Name: "a", Description: "d", InputSchema: []byte(`{"b":1, "a":2}`)},
			"",
		},
		{`{"name":"a","inputSchema":null}`, spec.Tool{Name: "a"}, ""},
		{`{"name":"a","description":5,"annotations":5}`, spec.Tool{Name: "a"}, ""},
		{`{"name":"a","name":"b","Name":"c"}`, spec.Tool{Name: "a"}, ""},
		{
			`{"name":"a","annotations":{"title":"T","readOnlyHint":true,"destructiveHint":false,"idempotentHint":"yes","openWorldHint":null}}`,
			spec.Tool{Name: "a", Annotations: spec.Annotations{Title: "T", ReadOnly: yes, Destructive: no}},
			"",
		},
		{`null`, spec.Tool{}, "not an object"},
		{`[]`, spec.Tool{}, "not an object"},
		{`{}`, spec.Tool{}, "it has no name"},
		{`{"name":""}`, spec.Tool{}, "it has no name"},
		{`{"name":5}`, spec.Tool{}, "it has no name"},
		{`{"NAME":"a"}`, spec.Tool{}, "it has no name"},
		{`{"name":"a","inputSchema":[]}`, spec.Tool{Name: "a"}, "its inputSchema is not an object"},
	}
	for _, test := range tests {
		got, err := readTool([]byte(test.raw))
		if text := fmt.Sprint(err); err != nil && text != test.err || err == nil && test.err != "" {
			t.Errorf("%s: err = %v", test.raw, err)
		}
		got.Raw = nil
		if diff := cmp.Diff(test.want, got); err == nil && diff != "" {
			t.Errorf("%s: %s", test.raw, diff)
		}
	}
}

func TestListing(t *testing.T) {
	l := listing{seen: map[string]bool{}}
	next, err := l.page([]byte(`{"tools":[{"name":"a"},7,{"name":"a","description":"again"},{"name":"b"}],"nextCursor":"n"}`))
	if err != nil || string(next) != `"n"` {
		t.Fatalf("%s, %v", next, err)
	}
	for _, empty := range []string{`{}`, `null`, `{"tools":null,"nextCursor":null}`, `{"tools":[],"nextCursor":""}`, `{"nextCursor":5}`} {
		if next, err := l.page([]byte(empty)); next != nil || err != nil {
			t.Errorf("%s: %s, %v", empty, next, err)
		}
	}
	for _, bad := range []string{`[]`, `5`, `{"tools":{}}`, `{"tools":"x"}`} {
		if _, err := l.page([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	if n := len(l.catalogue.Tools); n != 2 {
		t.Errorf("%d tools", n)
	}
	warnings := strings.Join(l.catalogue.Warnings, "\n")
	if len(l.catalogue.Warnings) != 2 || !strings.Contains(warnings, "not an object: 7") || !strings.Contains(warnings, `"a" left out: the name is taken`) {
		t.Error(warnings)
	}
}
