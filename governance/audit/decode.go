package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

var errNotRecord = errors.New("not a record")

// header is what a chain is made of, read from a line's two ends.
type header struct {
	seq        int64
	eventType  EventType
	callID     string
	body       []byte // what the hash covers; it aliases the line
	prev, hash string
}

// parseHeader reads a line, given without its line end. It accepts what encode writes and does not check the hash.
func parseHeader(line []byte) (header, error) {
	body, hash, ok := cutTail(line)
	if !ok {
		return header{}, errNotRecord
	}
	h := header{body: body, hash: hash}
	if h.prev, ok = cutPrev(body); !ok {
		return header{}, errNotRecord
	}
	rest, ok := bytes.CutPrefix(body, []byte(`{"seq":`))
	if !ok {
		return header{}, errNotRecord
	}
	digits, rest, ok := bytes.Cut(rest, []byte(","))
	seq, err := strconv.ParseInt(string(digits), 10, 64)
	if !ok || err != nil || seq < 1 {
		return header{}, errNotRecord
	}
	h.seq = seq
	_, rest, idOK := cutMember(rest, `"event_id":`)
	eventType, rest, typeOK := cutMember(rest, `"event_type":`)
	_, rest, timeOK := cutMember(rest, `"timestamp":`)
	if !idOK || !typeOK || !timeOK {
		return header{}, errNotRecord
	}
	h.eventType = EventType(unquote(eventType))
	if callID, _, ok := cutMember(rest, `"call_id":`); ok {
		h.callID = unquote(callID)
	}
	return h, nil
}

// cutTail separates the hash member from what it covers.
func cutTail(line []byte) (body []byte, hash string, ok bool) {
	n := len(line) - tailLen
	if n < 0 {
		return nil, "", false
	}
	tail, ok := bytes.CutPrefix(line[n:], []byte(hashKey))
	if !ok || !bytes.HasSuffix(tail, []byte(`"}`)) || !allHex(tail[:hashLen]) {
		return nil, "", false
	}
	return line[:n], string(tail[:hashLen]), true
}

func cutPrev(body []byte) (string, bool) {
	n := len(body) - len(prevKey) - hashLen - 1
	if n < 0 {
		return "", false
	}
	tail, ok := bytes.CutPrefix(body[n:], []byte(prevKey))
	if !ok || tail[hashLen] != '"' || !allHex(tail[:hashLen]) {
		return "", false
	}
	return string(tail[:hashLen]), true
}

func allHex(b []byte) bool {
	for _, c := range b {
		if !isHex(c) {
			return false
		}
	}
	return true
}

// cutMember takes `"name":"value",` off the start of rest. The value keeps its quotes.
func cutMember(rest []byte, key string) (value, after []byte, ok bool) {
	quoted, ok := bytes.CutPrefix(rest, []byte(key))
	if !ok || len(quoted) == 0 || quoted[0] != '"' {
		return nil, rest, false
	}
	for i := 1; i < len(quoted); i++ {
		switch quoted[i] {
		case '\\':
			i++
		case '"':
			after, ok := bytes.CutPrefix(quoted[i+1:], []byte(","))
			return quoted[:i+1], after, ok
		}
	}
	return nil, rest, false
}

// unquote decodes a JSON string, or gives its bytes as they are when they are none.
func unquote(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	var s string
	if bytes.IndexByte(inner, '\\') < 0 || json.Unmarshal(quoted, &s) != nil {
		return string(inner)
	}
	return s
}

// decode reads a line, given without its line end, and does not check the hash.
func decode(line []byte) (Record, error) {
	if _, err := parseHeader(line); err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return Record{}, errors.Join(errNotRecord, err)
	}
	return r, nil
}
