package chaos

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// schema is the part of a JSON Schema that we can make a value for.
type schema struct {
	Type       typeNames         `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`

	Const   json.RawMessage   `json:"const"`
	Enum    []json.RawMessage `json:"enum"`
	Default json.RawMessage   `json:"default"`

	Minimum          *float64 `json:"minimum"`
	ExclusiveMinimum *float64 `json:"exclusiveMinimum"`
	Maximum          *float64 `json:"maximum"`
	MinLength        int      `json:"minLength"`
	MaxLength        *int     `json:"maxLength"`

	// What we make no value for.
	Pattern    string          `json:"pattern"`
	Format     string          `json:"format"`
	MultipleOf json.RawMessage `json:"multipleOf"`
	Ref        json.RawMessage `json:"$ref"`
	AnyOf      json.RawMessage `json:"anyOf"`
	OneOf      json.RawMessage `json:"oneOf"`
	AllOf      json.RawMessage `json:"allOf"`
	Not        json.RawMessage `json:"not"`
	If         json.RawMessage `json:"if"`
}

// typeNames is a type, or a list of types.
type typeNames []string

// UnmarshalJSON reads a string or a list of strings.
func (t *typeNames) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeNames{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// plain is the text for an argument that may be any text.
const plain = "chaos"

// makeArguments makes arguments that fit a tool's schema: its required properties, with the simplest values there are. ok
// is false where it cannot. marker is the name of the one required property, where any text will do for it.
func makeArguments(input json.RawMessage) (arguments json.RawMessage, marker string, ok bool) {
	if len(input) == 0 {
		return json.RawMessage("{}"), "", true
	}
	var s schema
	if json.Unmarshal(input, &s) != nil || s.composed() {
		return nil, "", false
	}
	values := map[string]json.RawMessage{}
	for _, name := range s.Required {
		value, ok := s.Properties[name].value()
		if !ok {
			return nil, "", false
		}
		values[name] = value
	}
	if names := slices.Collect(maps.Keys(values)); len(names) == 1 && s.Properties[names[0]].anyText() {
		marker = names[0]
	}
	arguments, err := json.Marshal(values)
	return arguments, marker, err == nil
}

func (s schema) composed() bool {
	return s.Ref != nil || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.Not != nil || s.If != nil
}

func (s schema) value() (json.RawMessage, bool) {
	switch {
	case s.composed():
		return nil, false
	case s.Const != nil:
		return s.Const, true
	case len(s.Enum) > 0:
		return s.Enum[0], true
	case s.Default != nil:
		return s.Default, true
	case len(s.Type) == 0:
		return nil, false
	}
	switch s.Type[0] {
	case "string":
		return s.text()
	case "integer", "number":
		return s.number()
	case "boolean":
		return json.RawMessage("false"), true
	}
	return nil, false
}

func (s schema) text() (json.RawMessage, bool) {
	if s.Pattern != "" || s.Format != "" {
		return nil, false
	}
	text := plain + strings.Repeat("-", max(s.MinLength-len(plain), 0))
	if s.MaxLength != nil {
		text = text[:min(len(text), max(*s.MaxLength, 0))]
	}
	if len(text) < s.MinLength {
		return nil, false
	}
	value, err := json.Marshal(text)
	return value, err == nil
}

// number is the smallest one that is allowed, and 1 where 1 is.
func (s schema) number() (json.RawMessage, bool) {
	n := 1.0
	if s.Minimum != nil {
		n = max(n, *s.Minimum)
	}
	if s.ExclusiveMinimum != nil {
		n = max(n, *s.ExclusiveMinimum+1)
	}
	if s.Maximum != nil && n > *s.Maximum {
		n = *s.Maximum
	}
	low := s.Minimum != nil && n < *s.Minimum || s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum
	whole := s.Type[0] == "number" || n == float64(int64(n))
	value, err := json.Marshal(n)
	return value, !low && whole && s.MultipleOf == nil && err == nil
}

// anyText reports whether each text of ordinary length is a value.
func (s schema) anyText() bool {
	return len(s.Type) > 0 && s.Type[0] == "string" && s.Const == nil && s.Enum == nil &&
		s.Pattern == "" && s.Format == "" && s.MaxLength == nil && s.MinLength <= len(plain)
}
