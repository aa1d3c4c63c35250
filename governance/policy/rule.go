package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cedar-policy/cedar-go"
)

// rule is one policy, ready to be evaluated.
type rule struct {
	// name is the @id, or file.cedar#n where n counts the policies of the file from 1.
	name         string
	file         string
	line, column int
	text         string // the source, from the first annotation on
	permit       bool
	obligations
	policy *cedar.Policy
	// unscoped is the policy without its scope, for requests that are known to be in it.
	unscoped *cedar.Policy
	facts    facts
}

func (r *rule) place() string { return fmt.Sprintf("%s:%d:%d", r.file, r.line, r.column) }

func (r *rule) effect() string {
	if r.permit {
		return "permit"
	}
	return "forbid"
}

// fault is about the place where a word stands in the policy, or its beginning if it does not.
func (r *rule) fault(word, format string, args ...any) Fault {
	line, column := r.locate(word)
	return Fault{File: r.file, Line: line, Column: column, Rule: r.name, Message: fmt.Sprintf(format, args...)}
}

// locate finds the first place where word stands in the source as a whole word. What follows its last dot is enough,
// since not all attributes are written with dots.
func (r *rule) locate(word string) (line, column int) {
	for _, w := range []string{word, word[strings.LastIndexByte(word, '.')+1:]} {
		if at := wholeWord(r.text, w); at >= 0 {
			return shift(r.line, r.column, r.text[:at])
		}
	}
	return r.line, r.column
}

// wholeWord is where a word stands in text, or -1.
func wholeWord(text, word string) int {
	for at := 0; word != ""; at += len(word) {
		i := strings.Index(text[at:], word)
		if i < 0 {
			break
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !inWord(before) && !inWord(after) {
			return at
		}
	}
	return -1
}

func inWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// shift moves a position over text.
func shift(line, column int, text string) (int, int) {
	n := strings.Count(text, "\n")
	if n == 0 {
		return line, column + utf8.RuneCountInString(text)
	}
	return line + n, 1 + utf8.RuneCountInString(text[strings.LastIndexByte(text, '\n')+1:])
}
