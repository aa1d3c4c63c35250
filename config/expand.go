package config

import (
	"fmt"
	"regexp"
	"strings"
)

// selfVariable is the placeholder for the path of the running binary.
const selfVariable = "SUPERVISOR"

// placeholder matches ${NAME}, ${NAME:-default} and the escape $${text}. A name is anything but a closing brace.
var placeholder = regexp.MustCompile(`\$?\$\{([^}]+)\}`)

// property is one value of the property file, with what could not be expanded in it.
type property struct {
	text     string
	problems []string
}

// expander substitutes placeholders in strings. The order is: property file, environment, default. What was put in is
// never looked at again.
type expander struct {
	supervisor string
	properties map[string]property
	lookupEnv  func(string) (string, bool)
}

// expand substitutes all placeholders of s. One that has no value stays as it is and is a problem.
func (e *expander) expand(s string) (string, []string) {
	return e.replace(s, func(put string) string { return put })
}

// replace is expand, with put to mark what is put in.
func (e *expander) replace(s string, put func(string) string) (string, []string) {
	var problems []string
	replaced := placeholder.ReplaceAllStringFunc(s, func(found string) string {
		if literal, escaped := strings.CutPrefix(found, "$$"); escaped {
			return put("$" + literal)
		}
		text, failed := e.value(found[len("${") : len(found)-len("}")])
		if len(failed) > 0 {
			problems = append(problems, failed...)
			text = found
		}
		return put(text)
	})
	return replaced, problems
}

// value is what stands for NAME or NAME:-default. As in a shell, the default holds for an empty value too.
func (e *expander) value(body string) (string, []string) {
	if strings.Contains(body, "${") {
		return "", []string{fmt.Sprintf("placeholders do not nest: ${%s}", body)}
	}
	name, fallback, hasDefault := strings.Cut(body, ":-")
	found, ok := e.lookup(name)
	switch {
	case len(found.problems) > 0:
		return "", found.problems
	case hasDefault && found.text == "":
		return fallback, nil
	case !ok:
		return "", []string{fmt.Sprintf("variable %s is not set and has no default", name)}
	}
	return found.text, nil
}

func (e *expander) lookup(name string) (property, bool) {
	if name == selfVariable {
		return property{text: e.supervisor}, true
	}
	if p, ok := e.properties[name]; ok {
		return p, true
	}
	text, ok := e.lookupEnv(name)
	return property{text: text}, ok
}

// unresolved reports the placeholders below v that have no value: a fault where a server or credential would start
// with half a setting, named by who; a warning elsewhere, where the text may mean itself.
func (r *report) unresolved(v value, who string) {
	for _, problem := range v.problems {
		if who != "" {
			r.fault(v, "set it, or write ${NAME:-default}; $${NAME} is the text ${NAME}", "%s: %s", who, problem)
		} else {
			r.warn(v, "$${NAME} is the text ${NAME}", "%s: left as it is", problem)
		}
	}
	for _, item := range v.items {
		r.unresolved(item, who)
	}
	for _, f := range v.fields {
		r.unresolved(f.value, who)
	}
}
