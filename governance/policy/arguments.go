package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cedar-policy/cedar-go"
)

const (
	// maxDepth bounds the nesting of arguments; the gate's schema check has the same bound.
	maxDepth = 256
	// maxElements bounds the array elements in the arguments that policies read, all arrays together. Cedar makes hash
	// sets of them, and someone who chooses values that collide makes that quadratic: 4096 of them cost a tenth of a
	// second, a megabyte of them minutes.
	maxElements = 4096
)

var (
	errNotObject = errors.New("not a JSON object")
	errDepth     = fmt.Errorf("nested deeper than %d levels", maxDepth)
	errElements  = fmt.Errorf("more than %d array elements, which is more than policies can look at", maxElements)
)

// readArguments makes a record of a JSON object, or of nil, which is {}. Only members that wanted picks are in it.
//
// Objects become records, arrays sets, and numbers what [number] says. Nulls are left out, of arrays too, so that
// `has` is true only of what has a value. An object that has a key twice is an error: we and the server might not read
// the same one.
func readArguments(raw json.RawMessage, wanted func(name string) bool) (cedar.Record, error) {
	if len(raw) == 0 {
		return cedar.Record{}, nil
	}
	if !json.Valid(raw) {
		return cedar.Record{}, errNotObject
	}
	r := argumentReader{Decoder: json.NewDecoder(bytes.NewReader(raw))}
	r.UseNumber()
	if t, err := r.Token(); err != nil || t != json.Delim('{') {
		return cedar.Record{}, errNotObject
	}
	return r.object(1, wanted)
}

type argumentReader struct {
	*json.Decoder
	elements int
}

func everything(string) bool { return true }

// object reads what follows an opening brace.
func (r *argumentReader) object(depth int, wanted func(string) bool) (cedar.Record, error) {
	m, seen := cedar.RecordMap{}, map[string]bool{}
	for r.More() {
		name, err := r.name(seen)
		if err != nil {
			return cedar.Record{}, err
		}
		if !wanted(name) {
			var skipped json.RawMessage
			if err := r.Decode(&skipped); err != nil {
				return cedar.Record{}, err
			}
			continue
		}
		value, err := r.value(depth)
		if err != nil {
			return cedar.Record{}, err
		}
		if value != nil {
			m[cedar.String(name)] = value
		}
	}
	_, err := r.Token()
	return cedar.NewRecord(m), err
}

func (r *argumentReader) name(seen map[string]bool) (string, error) {
	t, err := r.Token()
	if err != nil {
		return "", err
	}
	name, _ := t.(string)
	if seen[name] {
		return "", fmt.Errorf("key %q is there twice", name)
	}
	seen[name] = true
	return name, nil
}

// array reads what follows an opening bracket.
func (r *argumentReader) array(depth int) (cedar.Value, error) {
	var elements []cedar.Value
	for r.More() {
		if r.elements++; r.elements > maxElements {
			return nil, errElements
		}
		value, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		if value != nil {
			elements = append(elements, value)
		}
	}
	_, err := r.Token()
	return cedar.NewSet(elements...), err
}

// value reads any value; null is nil.
func (r *argumentReader) value(depth int) (cedar.Value, error) {
	t, err := r.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if depth++; depth > maxDepth {
			return nil, errDepth
		}
		if t == '[' {
			return r.array(depth)
		}
		return r.object(depth, everything)
	case string:
		return cedar.String(t), nil
	case bool:
		return cedar.Boolean(t), nil
	case json.Number:
		return number(string(t)), nil
	}
	return nil, nil
}
