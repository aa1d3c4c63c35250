package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/kballard/go-shellquote"
)

// command reads an argument vector: a list as it is, or one string. A string with blanks (or quotes, when it stands
// alone) is cut into words as a POSIX shell would, unless it names a file; no shell ever runs, and nothing but our
// placeholders is expanded.
func (l *loader) command(v, args value, cwd string) []string {
	var words []string
	if v.kind == list {
		words = l.words(v)
	} else if word := l.word(v); l.mustSplit(v, args, cwd) {
		words = l.split(v)
	} else {
		words = []string{word}
	}
	if v.isScalar() || v.kind == list {
		if len(words) == 0 || words[0] == "" {
			l.fault(v, "", "the command is empty")
		}
	}
	return append(words, l.words(args)...)
}

func (l *loader) mustSplit(v, args value, cwd string) bool {
	cut := " \t\r\n"
	if !args.given() {
		cut += `"'`
	}
	if v.kind != text || !strings.ContainsAny(v.raw, cut) {
		return false
	}
	path := v.text
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	_, err := os.Stat(path)
	return err != nil
}

// split cuts the string as it was written and puts the placeholders' values in afterwards, so that a value with blanks
// stays one word. NUL, which no command can hold, marks the places.
func (l *loader) split(v value) []string {
	var values []string
	marked, _ := l.env.replace(v.raw, func(put string) string {
		values = append(values, put)
		return "\x00" + strconv.Itoa(len(values)-1) + "\x00"
	})
	words, err := shellquote.Split(marked)
	if err != nil {
		l.fault(v, "write the command as a list", "%s: %v", v.quote(), err)
	}
	for i, word := range words {
		words[i] = mark.ReplaceAllStringFunc(word, func(found string) string {
			n, _ := strconv.Atoi(strings.Trim(found, "\x00"))
			return values[min(n, len(values)-1)]
		})
	}
	return words
}

var mark = regexp.MustCompile("\x00[0-9]+\x00")
