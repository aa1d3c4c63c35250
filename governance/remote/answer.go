package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-supervisor/supervisor/governance/exact"
)

const (
	// maxText bounds what is taken over of a text, in characters: it goes into one line of an audit or answer.
	maxText = 500
	// maxPaths bounds the paths of one answer.
	maxPaths = 100
)

// answer is an answer's fields. The first fault is kept, so that callers read all they need and ask once.
type answer struct {
	fields map[string]json.RawMessage
	err    error
}

// read takes an answer apart. Fields that are not known might limit what is allowed, so they make it unusable.
func read(raw []byte, known ...string) *answer {
	a := &answer{fields: map[string]json.RawMessage{}}
	members, err := exact.Members(raw)
	if err != nil {
		a.fail("the answer: %w", err)
		return a
	}
	for _, m := range members {
		if m.Name != "version" && m.Name != "error" && !slices.Contains(known, m.Name) {
			a.fail("the answer has a field %q, which version %d does not know", m.Name, version)
		}
		a.fields[m.Name] = m.Value
	}
	if v := string(a.fields["version"]); v != strconv.Itoa(version) {
		a.fail("the answer's version is %.20q, not %d", v, version)
	}
	if a.has("error") {
		a.fail("the provider says: %s", a.text("error"))
	}
	return a
}

func (a *answer) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

func (a *answer) has(name string) bool {
	_, ok := a.fields[name]
	return ok
}

// flag is a boolean that must be there.
func (a *answer) flag(name string) bool {
	switch string(a.fields[name]) {
	case "true":
		return true
	case "false":
		return false
	}
	a.fail("the answer's %s must be true or false", name)
	return false
}

// text is a string, or "" when it is not there: one line of bounded length.
func (a *answer) text(name string) string {
	if !a.has(name) {
		return ""
	}
	var text *string
	if err := json.Unmarshal(a.fields[name], &text); err != nil || text == nil {
		a.fail("the answer's %s must be a string", name)
		return ""
	}
	return line(*text)
}

// fraction is a number from 0 to 1 that must be there.
func (a *answer) fraction(name string) float64 {
	var n *float64
	if err := json.Unmarshal(a.fields[name], &n); err != nil || n == nil || *n < 0 || *n > 1 {
		a.fail("the answer's %s must be a number from 0 to 1", name)
		return 0
	}
	return *n
}

// paths is a list of strings that are not empty, or nil when it is not there.
func (a *answer) paths(name string) []string {
	if !a.has(name) {
		return nil
	}
	var paths []string
	err := json.Unmarshal(a.fields[name], &paths)
	if err != nil || paths == nil || len(paths) > maxPaths || slices.Contains(paths, "") {
		a.fail("the answer's %s must be a list of at most %d paths", name, maxPaths)
		return nil
	}
	return paths
}

// approval is the reason of an approval that is asked for, or "" for none.
func (a *answer) approval(name string) string {
	if !a.has(name) {
		return ""
	}
	members, err := exact.Members(a.fields[name])
	if err != nil {
		a.fail("the answer's %s: %w", name, err)
		return ""
	}
	inner := answer{fields: map[string]json.RawMessage{}}
	for _, m := range members {
		if m.Name != "reason" {
			a.fail("the answer's %s has a field %q, which version %d does not know", name, m.Name, version)
		}
		inner.fields[m.Name] = m.Value
	}
	reason := inner.text("reason")
	if reason == "" {
		inner.err = errors.Join(inner.err, errors.New("it needs a reason"))
	}
	if inner.err != nil {
		a.fail("the answer's %s: %w", name, inner.err)
	}
	return reason
}

// line makes one bounded line of a text.
func line(text string) string {
	clean := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if runes := []rune(clean); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return clean
}
