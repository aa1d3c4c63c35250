package pins

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// same compares locks and pins with all they hold; a list or map that is empty is as one that is nil.
var same = cmp.Options{cmp.AllowUnexported(Lock{}, Pin{}), cmpopts.EquateEmpty()}

const file = `{
  "about": "Tools as they were approved. Commit this file, and look at its changes as you would at code: a tool whose hash changed is not the one that was reviewed.",
  "version": 1,
  "servers": {
    "bare": {},
    "files": {
      "read": {
        "hash": "h1",
        "description": "Read a <file>",
        "description_digest": "d1",
        "schema_digest": "s1",
        "annotations_digest": "a1",
        "flags": [
          "name: U+200B at 3"
        ],
        "reviewed": {
          "by": "ada",
          "at": [
            1.0,
            "\u200b"
          ]
        }
      },
      "wi\u200bpe": {
        "hash": "h2",
        "description": "",
        "description_digest": "",
        "schema_digest": "",
        "annotations_digest": ""
      }
    }
  },
  "later": true
}
`

// The file is written as it was read, whatever a newer version put into it, and hidden characters stay spelled out.
func TestEncodeWritesWhatWasParsed(t *testing.T) {
	l := parsed(t, file)
	if diff := cmp.Diff(file, string(l.Encode())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	read, ok := l.Find("files", "read")
	want := Pin{
		Hash: "h1", Description: "Read a <file>", DescriptionDigest: "d1", SchemaDigest: "s1", AnnotationsDigest: "a1",
		Flags: []string{"name: U+200B at 3"},
	}
	if diff := cmp.Diff(want, read, cmpopts.IgnoreUnexported(Pin{})); !ok || diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"read", "wi\u200bpe"}, l.Tools("files")); diff != "" {
		t.Error(diff)
	}
}

func TestParseToleratesLayout(t *testing.T) {
	l := parsed(t, `{"servers":{"s":{"t":{"flags":[],"hash":"h","x":"`+"\u200b"+`"}}},"z":1,"version":1,"b":{ }}`)
	again := parsed(t, string(l.Encode()))
	if diff := cmp.Diff(l, again, same); diff != "" {
		t.Errorf("-first +second:\n%s", diff)
	}
	if diff := cmp.Diff(l, parsed(t, strings.ReplaceAll(string(l.Encode()), "\n", "\r\n")), same); diff != "" {
		t.Errorf("with CRLF: %s", diff)
	}
}

func TestParseFaults(t *testing.T) {
	entry := func(lines string) string {
		return "{\n\"version\": 1,\n\"servers\": {\n\"s\": {\n\"t\": {\n" + lines + "\n}}}}"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "tools.lock:1: the file: not valid JSON: unexpected end of JSON input; restore the file from version control, or delete it and approve the tools again"},
		{"a list", "[]", "tools.lock:1: the file: not a JSON object; restore"},
		{"a comma too many", "{\n\"version\": 1,\n}", "tools.lock:3: the file: not valid JSON: invalid character '}'"},
		{"not UTF-8", "{\"version\": 1, \"\xff\": 1}", "tools.lock:1: not UTF-8 text; restore"},
		{"no version", "{}", "tools.lock:1: the version is missing; restore"},
		{"a newer version", "{\n\"servers\": [],\n\"version\": 2}", "tools.lock:3: version 2 is not known here, only 1 is; use the release that wrote the file"},
		{"a version of another kind", "{\"version\": \"1\"}", `tools.lock:1: version "1" is not known here`},
		{"ours", "{\n<<<<<<< HEAD\n", "tools.lock:2: a merge conflict is left here; keep the entries of both sides"},
		{"theirs", "{\n\n>>>>>>> main\n", "tools.lock:3: a merge conflict"},
		{"half solved", "{\n=======\r\n", "tools.lock:2: a merge conflict"},
		{"with its base", "||||||| 63c1\n", "tools.lock:1: a merge conflict"},
		{"servers of another kind", "{\"version\": 1,\n\"servers\": []}", "tools.lock:2: servers: not a JSON object"},
		{"a server of another kind", "{\"version\": 1,\n\"servers\": {\n\"s\": 1}}", `tools.lock:3: server "s": not a JSON object`},
		{"a server twice", "{\"version\": 1,\n\"servers\": {\"s\": {},\n\"s\": {}}}", `tools.lock:3: servers: key "s" is there twice; keep one of them`},
		{"a tool twice", "{\"version\": 1,\n\"servers\": {\"s\": {\n\"t\": {\"hash\":\"1\"},\n\"t\": {\"hash\":\"2\"}}}}", `tools.lock:4: server "s": key "t" is there twice; keep one of them`},
		{"servers twice", "{\"version\": 1,\n\"servers\": {},\n\"servers\": {}}", `tools.lock:3: the file: key "servers" is there twice`},
		{"a tool of another kind", entry(`"hash": "h"}, "u": 1, "v": {`), `tools.lock:6: tool "u" of server "s": not a JSON object; remove the tool's entry and approve the tool again`},
		{"a hash twice", entry("\"hash\": \"1\",\n\"hash\": \"2\""), `tools.lock:7: tool "t" of server "s": key "hash" is there twice; remove`},
		{"no hash", entry(`"description": "x"`), `tools.lock:5: tool "t" of server "s": the hash is missing; remove`},
		{"a hash of another kind", entry("\n\"hash\": 1"), `tools.lock:7: tool "t" of server "s": hash must be a string; remove`},
		{"null", entry(`"hash": null`), `tools.lock:6: tool "t" of server "s": hash must be a string`},
		{"flags of another kind", entry(`"hash": "h", "flags": "x"`), `flags must be a list of strings`},
		{"a flag of another kind", entry(`"hash": "h", "flags": [1]`), `flags must be a list of strings`},
		{"names that disturb a line", entry(`"hash": "h"}, "\u001b[8m\n": {`), `tool "\x1b[8m\n" of server "s": the hash is missing`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text))
			var fault *ParseError
			if !errors.As(err, &fault) || !strings.Contains(fault.Error(), tt.want) {
				t.Fatalf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// FuzzParse: whatever is accepted is written such that it reads the same, and writes the same, again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte(`{"version":1,"servers":{"s":{"t":{"hash":"h"}}},"x":["\ud800"," \u200b"]}`))
	f.Add([]byte("<<<<<<<"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := Parse(raw)
		if err != nil {
			var fault *ParseError
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Line > 1+bytes.Count(raw, []byte("\n")) {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		text := l.Encode()
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%q: written as %s, which does not parse: %v", raw, text, err)
		}
		if diff := cmp.Diff(l, again, same); diff != "" {
			t.Fatalf("%q: -first +second:\n%s", raw, diff)
		}
		if !bytes.Equal(text, again.Encode()) {
			t.Fatalf("%q: two texts of one lock", raw)
		}
	})
}

func parsed(t *testing.T, text string) *Lock {
	t.Helper()
	l, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}
