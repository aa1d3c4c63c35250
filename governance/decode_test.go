package governance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseArguments(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      map[string]any
		fault     string
	}{
		{"none", ``, map[string]any{}, ""},
		{"empty", ` { } `, map[string]any{}, ""},
		{"all types", `{"a":[1,"x",null,true,{"b":[]}]}`, map[string]any{"a": []any{json.Number("1"), "x", nil, true, map[string]any{"b": []any{}}}}, ""},
		{"big integer", `{"n":9007199254740993}`, map[string]any{"n": json.Number("9007199254740993")}, ""},
		{"keys that differ in case", `{"a":1,"A":2}`, map[string]any{"a": json.Number("1"), "A": json.Number("2")}, ""},
		{"null", `null`, nil, "must be a JSON object, not null"},
		{"array", `[1]`, nil, "must be a JSON object, not an array"},
		{"text", `"{}"`, nil, "must be a JSON object, not a string"},
		{"number", `5`, nil, "must be a JSON object, not a number"},
		{"boolean", `true`, nil, "must be a JSON object, not a boolean"},
		{"cut", `{"a":1`, nil, "not valid JSON"},
		{"trailing comma", `{"a":1,}`, nil, "not valid JSON"},
		{"two values", `{} {}`, nil, "not valid JSON"},
		{"key twice", `{"a":1,"a":2}`, nil, "key `a` is there twice"},
		{"key twice, escaped", `{"a":1,"\u0061":2}`, nil, "key `a` is there twice"},
		{"key twice, deep", `{"x":[{"a":{"b":1,"b":1}}]}`, nil, "key `b` is there twice"},
		{"huge exponent", `{"n":1e1000000}`, nil, "a number has an exponent beyond ±400"},
		{"tiny exponent", `[1E-401]`, nil, "a number has an exponent beyond ±400"},
		{"endless exponent", `{"n":1e99999999999999999999}`, nil, "a number has an exponent beyond ±400"},
		{"long number", `{"n":` + strings.Repeat("1", 1001) + `}`, nil, "a number has more than 1000 digits"},
		{"deep", strings.Repeat(`{"a":`, 257) + `1` + strings.Repeat(`}`, 257), nil, "nested deeper than 256 levels"},
		{"deeper than the decoder", strings.Repeat(`[`, 1<<20), nil, "not valid JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseArguments(json.RawMessage(tt.raw))
			fault := ""
			if err != nil {
				fault = err.Error()
			}
			if fault != tt.fault {
				t.Fatalf("fault %q, want %q", fault, tt.fault)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// FuzzDecodeStrict compares with encoding/json: what we accept it accepts, with the same value.
func FuzzDecodeStrict(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1.5e3,null]}`, `{"a":1,"a":2}`, `[[[]]]`, `"\ud800"`, "\"\xff\"", ` 1 `, `{"":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := decodeStrict(raw)
		if err != nil {
			return
		}
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q: accepted, but %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", raw, diff)
		}
	})
}
