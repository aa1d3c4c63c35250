package governance

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSchemas: for each schema, whether it can be used, arguments that fit and arguments that do not, with the words.
func TestSchemas(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		warning      string // part of it; "" = no warning
		fits, breaks string
		words        string
	}{
		{name: "missing", schema: ``, fits: `{"x":1}`},
		{name: "null", schema: `null`, fits: `{"x":1}`},
		{name: "empty", schema: `{}`, fits: `{"x":1}`},
		{name: "true", schema: `true`, fits: `{"x":1}`},
		{name: "false", schema: `false`, warning: "it is a boolean", fits: `{"x":1}`},
		{name: "array", schema: `[]`, warning: "it is an array", fits: `{"x":1}`},
		{name: "not JSON", schema: `{`, warning: "not valid JSON", fits: `{"x":1}`},
		{name: "root is a string", schema: `{"type":"string"}`, warning: "type is not object", fits: `{"x":1}`},
		{name: "root may be an object", schema: `{"type":["object","null"]}`, fits: `{"x":1}`},
		{name: "no type", schema: `{"required":["a"]}`, fits: `{"a":1}`, breaks: `{}`, words: "`a` is missing"},
		{name: "only $schema", schema: `{"$schema":"http://json-schema.org/draft-07/schema#"}`, fits: `{"x":1}`},
		{name: "bad type", schema: `{"type":"object","properties":{"a":{"type":"int"}}}`, warning: "`properties.a.type` ", fits: `{"a":"x"}`},
		{name: "senseless type", schema: `{"type":5}`, warning: "`type` ", fits: `{}`},
		{name: "required is a boolean", schema: `{"type":"object","required":true}`, warning: "`required` must be an array, not a boolean", fits: `{}`},
		{name: "pattern of another dialect", schema: `{"properties":{"a":{"pattern":"(?=x)"}}}`, warning: "`properties.a.pattern` must be a valid regex", fits: `{"a":"y"}`},
		{name: "root anyOf", schema: `{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, fits: `{"b":1}`, breaks: `{}`, words: "the object fits none of the forms that the schema allows"},
		{name: "root oneOf", schema: `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, fits: `{"b":1}`, breaks: `{"a":1,"b":1}`, words: "the object fits several of the forms of which the schema wants exactly one"},
		{name: "root allOf", schema: `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, fits: `{"a":1,"b":1}`, breaks: `{}`, words: "`a` is missing; `b` is missing"},
		{name: "$defs", schema: `{"$defs":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/$defs/n"}}}`, fits: `{"a":1}`, breaks: `{"a":"1"}`, words: "`a` must be a number, not a string"},
		{name: "recursion", schema: `{"properties":{"next":{"$ref":"#"},"v":{"type":"integer"}}}`, fits: `{"next":{"next":{"v":1}}}`, breaks: `{"next":{"v":1.5}}`, words: "`next.v` must be an integer, not a number"},
		{name: "draft 4", schema: `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, fits: `{"a":2}`, breaks: `{"a":1}`, words: "`a` must be more than 1"},
		{name: "draft 4, unsaid", schema: `{"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, fits: `{"a":2}`, breaks: `{"a":1}`, words: "`a` must be more than 1"},
		{name: "draft 6", schema: `{"$schema":"http://json-schema.org/draft-06/schema#","properties":{"a":{"const":1}}}`, fits: `{"a":1}`, breaks: `{"a":2}`, words: "`a` must be 1"},
		{name: "draft 7, tuple, unsaid", schema: `{"properties":{"a":{"items":[{"type":"string"}]}}}`, fits: `{"a":["x",1]}`, breaks: `{"a":[1]}`, words: "`a.0` must be a string, not a number"},
		{name: "draft 7: formats are remarks", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"uri"}}}`, fits: `{"a":"not a uri"}`},
		{name: "2019-09", schema: `{"$schema":"https://json-schema.org/draft/2019-09/schema","dependentRequired":{"a":["b"]}}`, fits: `{"a":1,"b":1}`, breaks: `{"a":1}`, words: "the object breaks the rule `dependentRequired a`"},
		{name: "unknown dialect", schema: `{"$schema":"https://example.com/mine"}`, warning: "nothing is loaded", fits: `{}`},
		{name: "remote $ref", schema: `{"properties":{"a":{"$ref":"https://example.com/x.json"}}}`, warning: "nothing is loaded", fits: `{}`},
		{name: "file $ref", schema: `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, warning: "nothing is loaded", fits: `{}`},
		{name: "relative $ref", schema: `{"properties":{"a":{"$ref":"other.json"}}}`, warning: "nothing is loaded", fits: `{}`},
		{name: "integer that is written as a float", schema: `{"properties":{"a":{"type":"integer"}}}`, fits: `{"a":1.0}`, breaks: `{"a":"1"}`, words: "`a` must be an integer, not a string"},
		{name: "big integers are exact", schema: `{"properties":{"a":{"maximum":9007199254740992}}}`, fits: `{"a":9007199254740992}`, breaks: `{"a":9007199254740993}`, words: "`a` must be at most 9007199254740992"},
		{name: "null stays allowed", schema: `{"properties":{"a":{"type":["string","null"]}}}`, fits: `{"a":null}`, breaks: `{"a":1}`, words: "`a` must be null or a string, not a number"},
		{name: "enum", schema: `{"properties":{"a":{"enum":["x",1]}}}`, fits: `{"a":1}`, breaks: `{"a":"secret"}`, words: "`a` must be one of \"x\", 1"},
		{
			name: "lengths", schema: `{"properties":{"a":{"minLength":2},"b":{"maxLength":1},"c":{"minItems":1},"d":{"maxItems":0}}}`, fits: `{}`,
			breaks: `{"a":"1"}`, words: "`a` must have at least 2 characters",
		},
		{name: "items", schema: `{"properties":{"c":{"minItems":1},"d":{"maxItems":0}}}`, fits: `{"c":[1]}`, breaks: `{"c":[]}`, words: "`c` must have at least 1 items"},
		{name: "too many items", schema: `{"properties":{"d":{"maxItems":0}}}`, fits: `{"d":[]}`, breaks: `{"d":[1]}`, words: "`d` must have at most 0 items"},
		{name: "too long", schema: `{"properties":{"d":{"maxLength":1}}}`, fits: `{"d":"x"}`, breaks: `{"d":"xy"}`, words: "`d` must have at most 1 characters"},
		{name: "pattern", schema: `{"properties":{"a":{"pattern":"^x$"}}}`, fits: `{"a":"x"}`, breaks: `{"a":"y"}`, words: "`a` must match the pattern `^x$`"},
		{name: "least", schema: `{"properties":{"a":{"minimum":0.5}}}`, fits: `{"a":0.5}`, breaks: `{"a":0}`, words: "`a` must be at least 0.5"},
		{name: "below", schema: `{"properties":{"a":{"exclusiveMaximum":3}}}`, fits: `{"a":2}`, breaks: `{"a":3}`, words: "`a` must be less than 3"},
		{name: "multiple", schema: `{"properties":{"a":{"multipleOf":3}}}`, fits: `{"a":6}`, breaks: `{"a":7}`, words: "`a` must be a multiple of 3"},
		{name: "forbidden field", schema: `{"properties":{"a":false}}`, fits: `{"b":1}`, breaks: `{"a":1}`, words: "`a` must not be given"},
		{name: "nested", schema: `{"properties":{"o":{"required":["p","q"],"additionalProperties":false}}}`, fits: `{}`, breaks: `{"o":{"r":1,"s":1}}`, words: "`o.p`, `o.q` are missing; `o.r`, `o.s` are not in the schema"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			schema, err := compileSchema(json.RawMessage(tt.schema))
			switch {
			case tt.warning == "" && err != nil:
				t.Fatal(err)
			case tt.warning != "" && (err == nil || !strings.Contains(inWords(err), tt.warning)):
				t.Fatalf("warning %v, want one with %q", err, tt.warning)
			}
			check := func(raw string) string {
				arguments, err := parseArguments(json.RawMessage(raw))
				if err != nil {
					t.Fatal(err)
				}
				return fits(schema, arguments)
			}
			if got := check(tt.fits); got != "" {
				t.Errorf("%s: %s", tt.fits, got)
			}
			if tt.breaks == "" {
				return
			}
			if got := check(tt.breaks); got != tt.words {
				t.Errorf("%s: %q, want %q", tt.breaks, got, tt.words)
			}
		})
	}
}

func TestMismatchIsBounded(t *testing.T) {
	schema, err := compileSchema(json.RawMessage(`{"additionalProperties":{"type":"string","pattern":"` + strings.Repeat("x", 1000) + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]any{}
	for i := range 50 {
		arguments[strings.Repeat("k", 500)+string(rune('a'+i))] = "y"
	}
	got := fits(schema, arguments)
	if len(got) > maxFaults*(maxText+10)+20 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	for i := range 20 {
		arguments[string(rune('a'+i))] = "y"
	}
	if got := fits(schema, arguments); !strings.HasSuffix(got, " more") {
		t.Errorf("got %s, want a count of what was left out", got)
	}
}

// A schema that does not compile leaves its tool usable, with a warning that names it.
func TestUnusableSchemaKeepsTheTool(t *testing.T) {
	offer := filesOffer()
	offer.Tools[1].InputSchema = json.RawMessage(`{"type":"object","required":true}`)
	c := NewCatalogue(offer, files)
	if _, ok := c.Find("write"); !ok {
		t.Fatal("the tool is gone")
	}
	if len(c.Warnings) == 0 || !strings.HasPrefix(c.Warnings[0], "tool `write`: its arguments are not checked") {
		t.Errorf("warnings %q", c.Warnings)
	}
}
