package approval

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestDigest(t *testing.T) {
	const base = `{"path":"/a","n":1}`
	for _, tt := range []struct {
		name, arguments string
		same            bool
	}{
		{"itself", base, true},
		{"keys in another order", `{"n":1,"path":"/a"}`, true},
		{"white space", " {\n\"path\" : \"/a\", \"n\":1 }", true},
		{"escaped characters", `{"\u0070ath":"\/a","n":1}`, true},
		{"another value", `{"path":"/b","n":1}`, false},
		{"another type", `{"path":"/a","n":"1"}`, false},
		{"a number in other digits", `{"path":"/a","n":1.0}`, false},
		{"a key more", `{"path":"/a","n":1,"m":null}`, false},
		{"a key in capitals", `{"Path":"/a","n":1}`, false},
		{"a value that looks like more keys", `{"path":"/a\",\"n\":1","n":1}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if same := digest(t, base) == digest(t, tt.arguments); same != tt.same {
				t.Errorf("the same: %v, want %v", same, tt.same)
			}
		})
	}
	if digest(t, "") != digest(t, "{}") {
		t.Error("no arguments are an empty object")
	}
	if digest(t, `{"n":9007199254740993}`) == digest(t, `{"n":9007199254740992}`) {
		t.Error("big integers are told apart")
	}
}

func TestDigestRefusesWhatHasTwoReadings(t *testing.T) {
	for _, arguments := range []string{`{"a":1,"a":2}`, `{"a":[{"b":1,"\u0062":1}]}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{`, `{} {}`} {
		if d, err := Digest(json.RawMessage(arguments)); err == nil || d != "" {
			t.Errorf("%q: %q, %v", arguments, d, err)
		}
	}
}

// Arguments have one digest if and only if they have one value.
func TestDigestIsAboutTheValue(t *testing.T) {
	object := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.IntRange(0, 2))
	rapid.Check(t, func(rt *rapid.T) {
		x, err1 := json.Marshal(object.Draw(rt, "x"))
		y, err2 := json.MarshalIndent(object.Draw(rt, "y"), "", " ")
		var compact bytes.Buffer
		if err := json.Compact(&compact, y); err != nil || err1 != nil || err2 != nil {
			rt.Fatal(err, err1, err2)
		}
		if (digest(t, string(x)) == digest(t, string(y))) != bytes.Equal(x, compact.Bytes()) {
			rt.Fatalf("%s and %s", x, y)
		}
	})
}

func digest(t *testing.T, arguments string) string {
	t.Helper()
	d, err := Digest(json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
