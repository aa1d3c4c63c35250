package policy

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// parse reads one file: its rules, and all its faults.
func parse(f File) ([]*rule, Faults) {
	list, err := cedarList(f)
	if err != nil {
		return nil, syntaxFaults(f, err)
	}
	var rules []*rule
	var faults Faults
	for i, p := range list {
		r, wrong := newRule(f, i, p, string(f.Text[p.Position().Offset:end(list, i, f)]))
		rules, faults = append(rules, r), append(faults, wrong...)
	}
	return rules, faults
}

func cedarList(f File) (list cedar.PolicyList, err error) {
	err = safe.Do("parse "+f.Name, func() error {
		list, err = cedar.NewPolicyListFromBytes(f.Name, f.Text)
		return err
	})
	return list, err
}

// end is where the policy after number i begins.
func end(list cedar.PolicyList, i int, f File) int {
	if i+1 < len(list) {
		return list[i+1].Position().Offset
	}
	return len(f.Text)
}

func newRule(f File, i int, p *cedar.Policy, text string) (*rule, Faults) {
	at := p.Position()
	r := &rule{
		name: fmt.Sprintf("%s#%d", path.Base(f.Name), i+1),
		file: f.Name, line: at.Line, column: at.Column, text: text,
		permit: p.Effect() == cedar.Permit, policy: p, unscoped: unscoped(p), facts: factsOf(p),
	}
	return r, r.annotate(p.Annotations())
}

// syntaxFaults finds a fault in every policy that has one. The parser stops at the first, so each policy is parsed by
// itself. What only goes wrong as a whole is told as it was.
func syntaxFaults(f File, whole error) Faults {
	var faults Faults
	line, column := 1, 1
	for _, text := range statements(string(f.Text)) {
		if _, err := cedarList(File{f.Name, []byte(text)}); err != nil {
			faults = append(faults, syntaxFault(f.Name, line, column, text, err))
		}
		line, column = shift(line, column, text)
	}
	if len(faults) == 0 {
		faults = Faults{syntaxFault(f.Name, 1, 1, string(f.Text), whole)}
	}
	return faults
}

// statements splits a file after each semicolon that stands outside strings and comments.
func statements(text string) []string {
	var out []string
	start := 0
	for _, m := range lexeme.FindAllStringIndex(text, -1) {
		if text[m[0]:m[1]] == ";" {
			out, start = append(out, text[start:m[1]]), m[1]
		}
	}
	return append(out, text[start:])
}

var (
	// lexeme is what a semicolon may stand in, or a semicolon. A string that does not end takes the rest of its line.
	lexeme = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"?|//[^\n]*|;`)
	// located is how the parser tells where: its errors have no other form.
	located  = regexp.MustCompile(`(?s)<input>:(\d+):(\d+)(?: ("(?:[^"\\]|\\.)*"))?: (.*)$`)
	expected = regexp.MustCompile(`(?s)^exact got (.*) want (.*)$`)
)

// syntaxFault words an error of the parser about text, which begins at line and column of the file.
func syntaxFault(file string, line, column int, text string, err error) Fault {
	f := Fault{File: file, Line: line, Column: column, Message: err.Error()}
	m := located.FindStringSubmatch(err.Error())
	if m == nil {
		return f
	}
	before := textBefore(text, m[1], m[2])
	f.Message = m[4]
	if token, _ := strconv.Unquote(m[3]); token != "" {
		f.Message += fmt.Sprintf(", near `%s`", token)
	}
	if e := expected.FindStringSubmatch(m[4]); e != nil {
		before, f.Message, f.Fix = beforeToken(before, e[1]), found(e[1])+fmt.Sprintf(" where `%s` belongs", e[2]), fixes[e[2]]
	}
	f.Line, f.Column = shift(line, column, before)
	return f
}

// textBefore is the text before a position that the parser gave.
func textBefore(text, line, column string) string {
	l, _ := strconv.Atoi(line)
	c, _ := strconv.Atoi(column)
	at := 0
	for ; l > 1; l-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for i := range text[at:] {
		if c--; c == 0 {
			return text[:at+i]
		}
	}
	return text
}

// beforeToken goes back over the unexpected token: the parser names the position behind it.
func beforeToken(before, token string) string {
	if i := strings.LastIndex(before, token); token != "" && i >= 0 {
		return before[:i]
	}
	return before
}

func found(token string) string {
	if token == "" {
		return "the policy ends"
	}
	return fmt.Sprintf("found `%s`", token)
}

// fixes are for what the parser expected and people forget.
var fixes = map[string]string{
	";":         "end each policy with a semicolon",
	"principal": "a policy begins with permit or forbid (principal, action, resource)",
	"action":    "a policy begins with permit or forbid (principal, action, resource)",
	"resource":  "a policy begins with permit or forbid (principal, action, resource)",
	"(":         "a policy begins with permit or forbid (principal, action, resource)",
	"{":         "write conditions as when { ... } or unless { ... }",
	"}":         "close the condition",
}
