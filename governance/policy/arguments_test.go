package policy

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReadArguments(t *testing.T) {
	tests := []struct{ name, json, want, err string }{
		{name: "nothing", json: "", want: "{}"},
		{name: "strings and booleans", json: `{"a":"x","b":true}`, want: `{"a":"x", "b":true}`},
		{name: "records in records", json: `{"a":{"b":{"c":1}}}`, want: `{"a":{"b":{"c":1}}}`},
		{name: "arrays are sets", json: `{"a":[1,1,1]}`, want: `{"a":[1]}`},
		{name: "nulls are left out", json: `{"a":null,"b":[null,{"c":null}]}`, want: `{"b":[{}]}`},
		{name: "names may be anything", json: `{"a b":1,"":2}`, want: `{"":2, "a b":1}`},
		{name: "null", json: `null`, err: "not a JSON object"},
		{name: "an array", json: `[{}]`, err: "not a JSON object"},
		{name: "no JSON", json: `{"a":}`, err: "not a JSON object"},
		{name: "two values", json: `{}{}`, err: "not a JSON object"},
		{name: "a key twice", json: `{"a":1,"a":2}`, err: `key "a" is there twice`},
		{name: "a key twice, written differently", json: `{"a":1,"\u0061":2}`, err: `key "a" is there twice`},
		{name: "a key twice, deep down", json: `{"b":[{"a":1,"a":2}]}`, err: `key "a" is there twice`},
		{name: "deep", json: `{"a":` + strings.Repeat("[", 254) + strings.Repeat("]", 254) + "}", want: `{"a":` + strings.Repeat("[", 254) + strings.Repeat("]", 254) + "}"},
		{name: "too deep", json: `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "}", err: "nested deeper than 256 levels"},
		{name: "too deep in objects", json: strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300), err: "nested deeper than 256 levels"},
		{name: "too many elements", json: `{"a":[` + strings.Repeat("1,", 5000) + `1]}`, err: "more than 4096 array elements, which is more than policies can look at"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readArguments(json.RawMessage(tt.json), everything)
			if message(err) != tt.err {
				t.Fatalf("error %q, want %q", message(err), tt.err)
			}
			if err == nil && got.String() != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestOnlyWantedArgumentsAreRead(t *testing.T) {
	got, err := readArguments(json.RawMessage(`{"a":1,"b":[{"c":[]}],"d":2}`), func(name string) bool { return name == "d" })
	if err != nil || got.String() != `{"d":2}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := readArguments(json.RawMessage(`{"a":1,"a":2}`), func(string) bool { return false }); err == nil {
		t.Error("a key that is there twice passed")
	}
}

func TestNumber(t *testing.T) {
	tests := []struct {
		json string
		want cedar.Value
	}{
		{"0", cedar.Long(0)},
		{"-0", cedar.Long(0)},
		{"0e999999999999999", cedar.Long(0)},
		{"42", cedar.Long(42)},
		{"-42", cedar.Long(-42)},
		{"2.0", cedar.Long(2)},
		{"2e0", cedar.Long(2)},
		{"1e3", cedar.Long(1000)},
		{"1.5E+1", cedar.Long(15)},
		{"1200e-2", cedar.Long(12)},
		{"9223372036854775807", cedar.Long(9223372036854775807)},
		{"-9223372036854775808", cedar.Long(-9223372036854775808)},
		{"9223372036854775808", cedar.String("9223372036854775808")},
		{"1e18", cedar.Long(1e18)},
		{"1e19", cedar.String("1e19")},
		{"1e1000000000", cedar.String("1e1000000000")},
		{"1e-1000000000", cedar.String("1e-1000000000")},
		{"1e99999999999999999999", cedar.String("1e99999999999999999999")},
		{"0.5", decimal(t, "0.5")},
		{"-0.5", decimal(t, "-0.5")},
		{"1.2345", decimal(t, "1.2345")},
		{"1.23450", decimal(t, "1.2345")},
		{"12e-1", decimal(t, "1.2")},
		{"1.23456", cedar.String("1.23456")},
		{"922337203685477.5807", decimal(t, "922337203685477.5807")},
		{"922337203685477.5808", cedar.String("922337203685477.5808")},
		{"99999999999999999999.5", cedar.String("99999999999999999999.5")},
	}
	for _, tt := range tests {
		if got := number(tt.json); !got.Equal(tt.want) {
			t.Errorf("number(%s) = %s, want %s", tt.json, got.MarshalCedar(), tt.want.MarshalCedar())
		}
	}
}

func decimal(t *testing.T, text string) cedar.Decimal {
	t.Helper()
	d, err := types.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A number is worth what its text is worth, or stays that text.
func TestNumbersKeepTheirValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,21})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		want, _ := new(big.Rat).SetString(text)
		switch v := number(text).(type) {
		case cedar.String:
			if fits := want.IsInt() && want.Num().IsInt64(); fits || string(v) != text {
				t.Errorf("%s became the string %q", text, v)
			}
		default:
			if got, ok := new(big.Rat).SetString(v.String()); !ok || got.Cmp(want) != 0 {
				t.Errorf("%s became %s", text, v)
			}
		}
	})
}

// Arrays whose elements all have one hash are the slowest there are: sets hash to the sum of their elements.
func TestCollidingElementsAreBounded(t *testing.T) {
	var rows []string
	for i := range maxElements/3 - 1 {
		rows = append(rows, fmt.Sprintf("[%d,%d]", i, 1<<21-i))
	}
	s := load(t, `permit (principal, action, resource) when { context.arguments.rows.contains(1) };`)
	start := time.Now()
	v := s.Decide(Request{Arguments: json.RawMessage(`{"rows":[` + strings.Join(rows, ",") + `]}`)})
	if took := time.Since(start); took > 10*time.Second || v.Rule != RuleDefaultDeny {
		t.Errorf("took %v: %+v", took, v)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// Whatever the arguments are, there is a verdict; and one that allows has read them as encoding/json does.
func FuzzDecide(f *testing.F) {
	for _, seed := range []string{`{"path":"/srv/a"}`, `{"path":["/srv/a"]}`, `{"path":null,"n":1e999}`, `[]`, `{"path":"/srv/\ud800"}`, "{\"\xff\":1}", `{"n":-0.00001,"path":"/srv/x"}`} {
		f.Add([]byte(seed))
	}
	s := load(f,
		`permit (principal, action, resource) when { context.arguments has path && context.arguments.path like "/srv/*" };`,
		`forbid (principal, action, resource) when { context.arguments has n && context.arguments.n < 0 };`,
		`forbid (principal, action, resource) when { context.arguments == {a: [1, {b: "c"}]} };`)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := reading()
		r.Arguments = raw
		v := s.Decide(r)
		if diff := cmp.Diff(v, s.Explain(r).Verdict); diff != "" {
			t.Errorf("Explain differs: %s", diff)
		}
		if !v.Allowed {
			return
		}
		var arguments map[string]any
		if err := json.Unmarshal(raw, &arguments); err != nil {
			t.Fatalf("%q was allowed and is no object: %v", raw, err)
		}
		if path, _ := arguments["path"].(string); !strings.HasPrefix(path, "/srv/") {
			t.Errorf("%q was allowed", raw)
		}
	})
}
