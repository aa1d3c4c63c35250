package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ name, raw, want, fault string }{
		{"keys are sorted at every depth", `{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`, `{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`, ""},
		{"white space does not matter", " { \"a\" :\n[ 1 , null ] } ", `{"a":[1,null]}`, ""},
		{"nor how a character is escaped", `{"\u0061":"\u00e9\/"}`, `{"a":"é/"}`, ""},
		{"characters of HTML stay", `"<&>"`, `"<&>"`, ""},
		{"big integers keep their digits", `9007199254740993`, `9007199254740993`, ""},
		{"a number is its digits", `[1,1.0,1e0,-0]`, `[1,1.0,1e0,-0]`, ""},
		{"literals", `[true,false,null]`, `[true,false,null]`, ""},
		{"empty", `[{},[],""]`, `[{},[],""]`, ""},
		{"case of keys matters", `{"a":1,"A":2}`, `{"A":2,"a":1}`, ""},
		{"key twice", `{"a":1,"a":1}`, "", `key "a" is there twice`},
		{"key twice, escaped and deep", `[{"x":{"a":1,"\u0061":2}}]`, "", `key "a" is there twice`},
		{"half a surrogate pair", `{"a":["\ud800"]}`, "", "U+FFFD"},
		{"half a surrogate pair in a key", `{"\ud800":1}`, "", "U+FFFD"},
		{"broken UTF-8", "\"\xff\"", "", "U+FFFD"},
		{"deep", strings.Repeat(`{"a":`, 257) + `1` + strings.Repeat(`}`, 257), "", "nested deeper than 256 levels"},
		{"nothing", ``, "", "not valid JSON"},
		{"two values", `1 2`, "", "not valid JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.raw))
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Fatalf("got %s and %v, want an error with %q", got, err, tt.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMembers(t *testing.T) {
	raw := "{\"a\": 1 ,\n \"\\u0062\" :[ 1, 2 ]\t,\"A\":\"x\",\"\":{\"k\":1,\"k\":2}}"
	got, err := Members([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	want := []Member{
		{"a", json.RawMessage(`1`), 6},
		{"b", json.RawMessage(`[ 1, 2 ]`), 21},
		{"A", json.RawMessage(`"x"`), 35},
		{"", json.RawMessage(`{"k":1,"k":2}`), 42},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMembersFaults(t *testing.T) {
	for _, tt := range []struct {
		name, raw, fault string
		offset           int
	}{
		{"key twice", `{"a":1, "a":2}`, `key "a" is there twice`, 12},
		{"key twice, escaped", `{"a":1,"\u0061":2}`, `key "a" is there twice`, 16},
		{"array", `[]`, "not a JSON object", 0},
		{"null", `null`, "not a JSON object", 0},
		{"comma", `{"a":1,}`, "not valid JSON: invalid character '}'", 7},
		{"two values", `{} {}`, "not valid JSON", 3},
		{"cut", `{"a":`, "not valid JSON", 4},
		{"nothing", ``, "not valid JSON", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Members([]byte(tt.raw))
			var fault *FaultError
			if !errors.As(err, &fault) || !strings.Contains(fault.Error(), tt.fault) || fault.Offset != tt.offset {
				t.Fatalf("got %#v, want %q at %d", err, tt.fault, tt.offset)
			}
		})
	}
}

// FuzzCanonical: the canonical form has the value of the text, and is its own canonical form.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":[true,null,"\u00e9"]}`, `{"a":1,"a":2}`, `"\ud83d\ude00"`, `"\ud83d"`, `1e400`, ` [] `, "\"\u2028<\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Canonical(raw)
		if err != nil {
			return
		}
		again, err := Canonical(got)
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("%q: %s, then %s (%v)", raw, got, again, err)
		}
		if diff := cmp.Diff(decode(t, raw), decode(t, got)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", raw, diff)
		}
	})
}

// FuzzMembers: each value stands where its offset says.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a": 1 , "b":[ 2]}`))
	f.Add([]byte("{\"\xff\":{}}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		members, err := Members(raw)
		if err != nil {
			return
		}
		for _, m := range members {
			if !bytes.HasPrefix(raw[m.Offset:], m.Value) || len(bytes.TrimSpace(m.Value)) != len(m.Value) {
				t.Errorf("%q: %q is not at %d", raw, m.Value, m.Offset)
			}
		}
	})
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
