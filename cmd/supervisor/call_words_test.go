package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCall(t *testing.T) {
	folders := func(word string) bool { return word == "files" || word == "ws" || word == "ws.yaml" }
	for name, c := range map[string]struct {
		words string
		given bool // --workspace
		want  callWords
		fails bool
	}{
		"server and tool":                           {words: "files read", want: callWords{server: "files", tool: "read"}},
		"a folder leads three words":                {words: "ws files read", want: callWords{workspace: "ws", server: "files", tool: "read"}},
		"a file leads three words":                  {words: "ws.yaml files read", want: callWords{workspace: "ws.yaml", server: "files", tool: "read"}},
		"an object is arguments":                    {words: `hello greet {"a":1}`, want: callWords{server: "hello", tool: "greet", arguments: `{"a":1}`}},
		"an object after a server that is a folder": {words: `files read {"a":1}`, want: callWords{server: "files", tool: "read", arguments: `{"a":1}`}},
		"stdin after a server that is a folder":     {words: "files read -", want: callWords{server: "files", tool: "read", arguments: "-"}},
		"a file of arguments":                       {words: "files read @a.json", want: callWords{server: "files", tool: "read", arguments: "@a.json"}},
		"no folder leads":                           {words: "hello greet [1]", want: callWords{server: "hello", tool: "greet", arguments: "[1]"}},
		"four words":                                {words: "nowhere hello greet x", want: callWords{workspace: "nowhere", server: "hello", tool: "greet", arguments: "x"}},
		"a workspace given":                         {words: "ws files x", given: true, want: callWords{server: "ws", tool: "files", arguments: "x"}},
		"a workspace given twice":                   {words: "ws hello greet {}", given: true, fails: true},
		"no folder leads, and no JSON ends":         {words: "nodir ok echo", fails: true},
		"no server":                                 {words: "'' read", fails: true},
		"no tool":                                   {words: "ws files ''", fails: true},
		"no workspace":                              {words: "'' files read {}", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			words := strings.Fields(c.words)
			for i := range words {
				words[i] = strings.TrimPrefix(words[i], "''") // as a shell says nothing
			}
			got, err := parseCall(words, c.given, folders)
			if (err != nil) != c.fails {
				t.Fatalf("error = %v", err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(callWords{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte("{\"n\": 12345678901234567890}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		word, want, err string
	}{
		"none":             {word: "", want: ""},
		"an object":        {word: ` {"a": 1} `, want: `{"a": 1}`},
		"a file":           {word: "@" + file, want: `{"n": 12345678901234567890}`},
		"stdin":            {word: "-", want: `{"in":true}`},
		"an array":         {word: "[1]", err: "not a JSON object"},
		"null":             {word: "null", err: "not a JSON object"},
		"not JSON":         {word: "{a:1}", err: "not JSON"},
		"two objects":      {word: "{}{}", err: "not JSON"},
		"a file not there": {word: "@" + file + "x", err: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &app{in: strings.NewReader(`{"in":true}`)}
			got, err := a.readArguments(c.word)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("error = %v, want one with %q", err, c.err)
			}
			if string(got) != c.want {
				t.Errorf("arguments = %s, want %s", got, c.want)
			}
		})
	}
}

func FuzzCheckObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,{"b":null}]}`, `[`, ``, `null`, ` {"é":"\ud800"} x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := checkObject([]byte(text))
		if err == nil && (got[0] != '{' || string(got) != strings.Trim(text, " \t\r\n")) && string(got) != strings.TrimSpace(text) {
			t.Errorf("checkObject(%q) = %q", text, got)
		}
	})
}
