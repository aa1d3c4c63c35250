package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// FaultError says what is wrong with a text and where.
type FaultError struct {
	// Offset counts bytes from the beginning of the text.
	Offset int
	// What is one line, without the place.
	What string
}

func (e *FaultError) Error() string { return fmt.Sprintf("%s (at byte %d)", e.What, e.Offset) }

// Member is one member of a JSON object.
type Member struct {
	// Name is decoded, and the only one that is spelled so; case matters.
	Name string
	// Value is the value as it stands in the text, without white space around it.
	Value json.RawMessage
	// Offset is where Value begins in the text, in bytes.
	Offset int
}

// Members returns the members of a JSON object in the order of the text. What is inside the values is not looked at,
// but that it is JSON.
//
// Errors are *[FaultError]: no JSON, more than one value, no object, or a name that is there twice.
func Members(raw []byte) ([]Member, error) {
	if err := check(raw); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, &FaultError{What: "not a JSON object"}
	}
	var members []Member
	seen := map[string]bool{}
	for dec.More() {
		m, err := member(dec)
		if err != nil {
			return nil, err
		}
		if seen[m.Name] {
			return nil, &FaultError{m.Offset, fmt.Sprintf("key %q is there twice", m.Name)}
		}
		seen[m.Name] = true
		members = append(members, m)
	}
	return members, nil
}

func member(dec *json.Decoder) (Member, error) {
	token, err := dec.Token()
	if err != nil {
		return Member{}, err // not reached: the text was checked
	}
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return Member{}, err // not reached: the text was checked
	}
	name, _ := token.(string)
	return Member{Name: name, Value: value, Offset: int(dec.InputOffset()) - len(value)}, nil
}

// check reports the first place where raw is not one JSON value.
func check(raw []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(raw, &whole)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return &FaultError{max(int(syntax.Offset)-1, 0), "not valid JSON: " + syntax.Error()}
	}
	return err
}
