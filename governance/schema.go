package governance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// guesses are the dialects tried, in this order, for a schema that does not name its own. 2020-12 is what MCP says since
// 2025-11-25; before, nobody said anything, and servers wrote tuples (draft 7) and boolean exclusiveMinimum (draft 4).
var guesses = []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4}

// formats are asserted by the library in draft 7 and before. In MCP's dialect a format is a remark, and the gate must
// not refuse what the server takes: they are all allowed.
var formats = []string{
	"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email", "date",
	"time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver",
}

// schemaURL is the base of relative references. It names nothing.
const schemaURL = "mcp-tool:///input"

var errNoLoading = errors.New("a schema may refer to its own parts only; nothing is loaded")

// noLoader refuses to load what a schema refers to: a server must not make us read files or open connections.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoLoading }

// compileSchema compiles an input schema of draft 4 to 2020-12. It returns nil where every object fits: no schema,
// null, {} and true. With an error it returns nil too, so that the tool is kept and goes unchecked.
func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	doc, err := decodeStrict(raw)
	if err != nil {
		return nil, err
	}
	if doc == nil || doc == true {
		return nil, nil
	}
	object, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is %s", article(jsonType(doc)))
	}
	if !takesObject(object["type"]) {
		return nil, errors.New("its type is not object, and arguments always are one")
	}
	if len(object) == 0 {
		return nil, nil
	}
	return compileAny(object)
}

// takesObject reports whether a schema's type keyword lets an object through. A senseless type is for the compiler.
func takesObject(keyword any) bool {
	switch t := keyword.(type) {
	case string:
		return t == "object"
	case []any:
		return slices.Contains(t, any("object"))
	}
	return true
}

func compileAny(doc map[string]any) (*jsonschema.Schema, error) {
	drafts := guesses
	if _, named := doc["$schema"]; named {
		drafts = guesses[:1] // the schema's own word wins over it
	}
	var first error
	for _, d := range drafts {
		schema, err := compileAs(doc, d)
		if err == nil {
			return schema, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func compileAs(doc map[string]any, d *jsonschema.Draft) (schema *jsonschema.Schema, err error) {
	err = safe.Do("compile schema", func() error {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(d)
		c.UseLoader(noLoader{})
		for _, name := range formats {
			c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
		}
		if err := c.AddResource(schemaURL, doc); err != nil {
			return err
		}
		schema, err = c.Compile(schemaURL)
		return err
	})
	return schema, err
}

// fits reports in words how arguments break a schema, or returns "" when they fit.
func fits(schema *jsonschema.Schema, arguments map[string]any) string {
	if schema == nil {
		return ""
	}
	if err := schema.Validate(arguments); err != nil {
		return inWords(err)
	}
	return ""
}

// inWords is one bounded line about an error of the library, whether arguments break a schema or a schema its dialect.
func inWords(err error) string {
	var meta *jsonschema.SchemaValidationError
	if errors.As(err, &meta) { // it does not unwrap by itself
		err = meta.Err
	}
	var broken *jsonschema.ValidationError
	if errors.As(err, &broken) {
		return mismatch(broken)
	}
	return clip(err.Error())
}
