package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// MaxOutput is the longest text a template may give, in bytes.
const MaxOutput = 1 << 20

var errTooLong = fmt.Errorf("gives more than %d bytes", MaxOutput)

// text is one string of a script.
type text struct {
	at       string // its path, for errors
	template *template.Template
}

var functions = template.FuncMap{
	"json":  toJSON,
	"trim":  strings.TrimSpace,
	"upper": strings.ToUpper,
	"lower": strings.ToLower,
	"split": func(sep, s string) []string { return strings.Split(s, sep) },
	"join":  join,
}

func parseText(at, source string) (*text, error) {
	t, err := template.New("line").Option("missingkey=error").Funcs(functions).Parse(source)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: "))
	}
	return &text{at: at, template: t}, nil
}

// render runs the template. Errors name its place in the script.
func (t *text) render(s scene) (string, error) {
	var out bounded
	if err := t.template.Execute(&out, s); err != nil {
		if errors.Is(err, errTooLong) {
			err = errTooLong
		}
		return "", fmt.Errorf("%s: %s", t.at, strings.TrimPrefix(err.Error(), "template: "))
	}
	return out.String(), nil
}

// bounded is a builder that refuses to grow beyond MaxOutput.
type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > MaxOutput {
		return 0, errTooLong
	}
	return b.Builder.Write(p)
}

func toJSON(v any) (string, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// join prints the items of a list with a separator between them. The list comes last, so that it can be piped in.
func join(sep string, list any) (string, error) {
	var parts []string
	switch items := list.(type) {
	case []string:
		parts = items
	case []any:
		for _, item := range items {
			parts = append(parts, fmt.Sprint(item))
		}
	case Results:
		for _, r := range items {
			parts = append(parts, r.Text)
		}
	default:
		return "", fmt.Errorf("join wants a list, not %T", list)
	}
	return strings.Join(parts, sep), nil
}
