package governance

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
	// maxFaults bounds how many faults of one call's arguments are told; a model mends a few at a time.
	maxFaults = 5
	// maxText bounds one fault's or warning's text, in bytes.
	maxText = 300
)

// mismatch says in words which parts of the arguments break the schema and how. It quotes names and limits of the
// schema, never a value of the arguments, which may be secret.
func mismatch(e *jsonschema.ValidationError) string {
	var faults []string
	seen := map[string]bool{}
	leaves(e, func(leaf *jsonschema.ValidationError) {
		text := clip(describe(leaf))
		if !seen[text] {
			seen[text] = true
			faults = append(faults, text)
		}
	})
	slices.Sort(faults) // the library walks objects in no order
	more := ""
	if n := len(faults) - maxFaults; n > 0 {
		faults, more = faults[:maxFaults], fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(faults, "; ") + more
}

// leaves visits the faults that have no cause of their own. Alternatives none of which fits are one fault: what each of
// them lacks would contradict each other.
func leaves(e *jsonschema.ValidationError, visit func(*jsonschema.ValidationError)) {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		visit(e)
		return
	}
	if len(e.Causes) == 0 {
		visit(e)
	}
	for _, cause := range e.Causes {
		leaves(cause, visit)
	}
}

// describe is one fault: the place, and what is wrong there.
func describe(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return ticks(below(e.InstanceLocation, k.Missing)) + " " + are(len(k.Missing)) + " missing"
	case *kind.AdditionalProperties:
		return ticks(below(e.InstanceLocation, slices.Sorted(slices.Values(k.Properties)))) + " " + are(len(k.Properties)) + " not in the schema"
	}
	subject := "the object"
	if len(e.InstanceLocation) > 0 {
		subject = tick(strings.Join(e.InstanceLocation, "."))
	}
	return subject + " " + words(e.ErrorKind)
}

// below returns the dotted paths of fields of the object at a path.
func below(path, fields []string) []string {
	paths := make([]string, len(fields))
	for i, f := range fields {
		paths[i] = strings.Join(append(slices.Clone(path), f), ".")
	}
	return paths
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func words(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.FalseSchema:
		return "must not be given"
	case *kind.Type:
		return "must be " + alternatives(k.Want) + ", not " + article(k.Got)
	case *kind.Enum:
		return "must be one of " + values(k.Want)
	case *kind.Const:
		return "must be " + values([]any{k.Want})
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.Pattern:
		return "must match the pattern " + tick(k.Want)
	case *kind.Format:
		return "must be a valid " + k.Want
	case *kind.OneOf:
		return oneOf(k)
	}
	return limits(k)
}

func limits(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "must be at least " + number(k.Want)
	case *kind.Maximum:
		return "must be at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + number(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + number(k.Want)
	case *kind.AnyOf:
		return "fits none of the forms that the schema allows"
	}
	if path := k.KeywordPath(); len(path) > 0 {
		return "breaks the rule " + tick(strings.Join(path, " "))
	}
	return "breaks the schema"
}

func oneOf(k *kind.OneOf) string {
	if len(k.Subschemas) == 0 {
		return "fits none of the forms that the schema allows"
	}
	return "fits several of the forms of which the schema wants exactly one"
}

func alternatives(types []string) string {
	with := make([]string, len(types))
	for i, t := range types {
		with[i] = article(t)
	}
	return strings.Join(with, " or ")
}

// values lists what the schema allows, as JSON.
func values(want []any) string {
	list := make([]string, 0, len(want))
	for _, v := range want {
		text, err := json.Marshal(v)
		if err != nil {
			text = []byte("…")
		}
		list = append(list, string(text))
	}
	return strings.Join(list, ", ")
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return fmt.Sprint(f)
}

// clip makes a text one bounded, printable line.
func clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}
