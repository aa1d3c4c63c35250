package config

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// jsonNumber is what RFC 8259 calls a number. YAML has other ways to write one.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// arguments reads a JSON object, keys in the order of the file and numbers with its digits: a large id stays what it is.
// It is nil when there is none.
func (r *caseReader) arguments(v value) json.RawMessage {
	if !v.given() {
		return nil
	}
	if v.kind != mapping {
		r.wrong(v, "a mapping")
		return nil
	}
	var b bytes.Buffer
	r.writeJSON(&b, v)
	return b.Bytes()
}

func (r *caseReader) writeJSON(b *bytes.Buffer, v value) {
	switch v.kind {
	case mapping:
		b.WriteByte('{')
		for i, f := range v.fields {
			separate(b, i)
			writeScalar(b, f.key)
			b.WriteByte(':')
			r.writeJSON(b, f.value)
		}
		b.WriteByte('}')
	case list:
		b.WriteByte('[')
		for i, item := range v.items {
			separate(b, i)
			r.writeJSON(b, item)
		}
		b.WriteByte(']')
	case number:
		r.writeNumber(b, v)
	case text:
		writeScalar(b, v.text)
	case boolean:
		writeScalar(b, v.scalar)
	default:
		b.WriteString("null")
	}
}

func separate(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

// writeNumber writes the digits of the file where JSON has them so, and else what they stand for.
func (r *caseReader) writeNumber(b *bytes.Buffer, v value) {
	switch f, _ := v.float(); {
	case jsonNumber.MatchString(v.raw):
		b.WriteString(v.raw)
	case !finite(f):
		r.fault(v, "", "%s cannot be sent as JSON", v.raw)
	default:
		writeScalar(b, v.scalar)
	}
}

// writeScalar writes a string, boolean or finite number, which JSON always can.
func writeScalar(b *bytes.Buffer, scalar any) {
	data, err := json.Marshal(scalar)
	if err != nil {
		panic("config.writeScalar: " + err.Error())
	}
	b.Write(data)
}
