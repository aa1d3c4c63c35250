package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds nesting, as the gate does for arguments: each level of objects is sorted, and so copied, once more.
const maxDepth = 256

var errAmbiguous = errors.New("a string holds U+FFFD, which stands for any broken character")

// Canonical returns the one form of all JSON texts that say the same: keys are sorted, there is no white space, and a
// character is the same however it is escaped. Two texts with one canonical form have equal values.
//
// A number is its digits: 1, 1.0 and 1e0 are three numbers here, and 9007199254740993 is not 9007199254740992. That is
// stricter than JSON Schema, since a server may tell them apart.
//
// Errors: no JSON, more than one value, deeper nesting than 256 levels, a key that is there twice in one object, and a
// string with U+FFFD or a broken character, because different texts would become one.
func Canonical(raw []byte) ([]byte, error) {
	if err := check(raw); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return value(dec, make([]byte, 0, len(raw)), 0)
}

// value appends the next value of dec, which is depth levels deep, to out.
func value(dec *json.Decoder, out []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err // not reached: the text was checked
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return object(dec, out, depth+1)
		}
		return array(dec, out, depth+1)
	case json.Number:
		return append(out, t...), nil
	case string:
		return text(t, out)
	}
	return fmt.Append(out, literal(token)), nil
}

// literal is null, true or false.
func literal(token json.Token) any {
	if token == nil {
		return "null"
	}
	return token
}

func object(dec *json.Decoder, out []byte, depth int) ([]byte, error) {
	members := map[string][]byte{}
	for dec.More() {
		key, err := value(dec, nil, depth)
		if err != nil {
			return nil, err
		}
		if _, twice := members[string(key)]; twice {
			return nil, fmt.Errorf("key %s is there twice", key)
		}
		if members[string(key)], err = value(dec, nil, depth); err != nil {
			return nil, err
		}
	}
	out = append(out, '{')
	for i, key := range slices.Sorted(maps.Keys(members)) {
		out = append(append(separate(out, i), key...), ':')
		out = append(out, members[key]...)
	}
	return append(out, '}'), end(dec)
}

func array(dec *json.Decoder, out []byte, depth int) ([]byte, error) {
	out = append(out, '[')
	for i := 0; dec.More(); i++ {
		var err error
		if out, err = value(dec, separate(out, i), depth); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), end(dec)
}

func separate(out []byte, i int) []byte {
	if i == 0 {
		return out
	}
	return append(out, ',')
}

// end reads the bracket that closes what was opened.
func end(dec *json.Decoder) error {
	_, err := dec.Token()
	return err
}

func text(t string, out []byte) ([]byte, error) {
	if strings.ContainsRune(t, utf8.RuneError) {
		return nil, errAmbiguous
	}
	return append(out, Quote(t)...), nil
}

// Quote writes a string as JSON. Of the characters that may stand in a JSON string as they are, it escapes U+2028 and
// U+2029 only; a broken character becomes U+FFFD.
func Quote(t string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(t); err != nil { // a string always encodes
		panic("exact.Quote: " + err.Error())
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
