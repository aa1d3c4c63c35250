package chaos

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseKinds(t *testing.T) {
	for _, tt := range []struct {
		list string
		want []Kind
		err  string
	}{
		{"kill", []Kind{Kill}, ""},
		{"slow, kill", []Kind{Slow, Kill}, ""},
		{"kill,wrapper,stop,hang,pipe,slow", Kinds, ""},
		{"", nil, `no fault ""; use some of kill,wrapper,stop,hang,pipe,slow`},
		{"kill,explode", nil, `no fault "explode"`},
		{"kill,stop,kill", nil, `"kill" is named twice`},
	} {
		got, err := ParseKinds(tt.list)
		if !says(err, tt.err) || !cmp.Equal(tt.want, got) {
			t.Errorf("ParseKinds(%q) = %v, %v; want %v, error %q", tt.list, got, err, tt.want, tt.err)
		}
	}
}

func TestParseTarget(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Target
		err  string
	}{
		{`db/query={"sql":"select 1=1"}`, Target{Server: "db", Tool: "query", Arguments: json.RawMessage(`{"sql":"select 1=1"}`)}, ""},
		{"clock/now", Target{Server: "clock", Tool: "now", Arguments: json.RawMessage("{}")}, ""},
		{"a/b/c={}", Target{Server: "a", Tool: "b/c", Arguments: json.RawMessage("{}")}, ""},
		{"clock", Target{}, "write SERVER/TOOL=JSON"},
		{"/now={}", Target{}, "write SERVER/TOOL=JSON"},
		{"clock/={}", Target{}, "write SERVER/TOOL=JSON"},
		{"clock/now=", Target{}, "no JSON object"},
		{"clock/now=[1]", Target{}, "no JSON object"},
		{"clock/now=null", Target{}, "no JSON object"},
	} {
		got, err := ParseTarget(tt.text)
		if !says(err, tt.err) {
			t.Errorf("ParseTarget(%q): %v, want an error with %q", tt.text, err, tt.err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("ParseTarget(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	good := Options{Duration: time.Second, Agents: 1, KillEvery: time.Second, Kinds: Kinds, Supervisor: "supervisor"}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Options){
		"duration":            func(o *Options) { o.Duration = 0 },
		"between two strikes": func(o *Options) { o.KillEvery = -1 },
		"one agent":           func(o *Options) { o.Agents = 0 },
		"no fault":            func(o *Options) { o.Kinds = nil },
		"binary":              func(o *Options) { o.Supervisor = "" },
	} {
		o := good
		spoil(&o)
		if err := o.check(); !says(err, want) {
			t.Errorf("check = %v, want an error with %q", err, want)
		}
	}
}

// says reports whether an error has a text; none when the text is empty.
func says(err error, text string) bool {
	if text == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), text)
}
