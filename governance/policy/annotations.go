package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"

	"github.com/mcp-supervisor/supervisor/internal/nearest"
)

// obligations are what a policy asks for beside its effect.
type obligations struct {
	reason  string   // forbid: what the caller reads
	approve string   // permit: why a person has to approve
	redact  []string // permit: dotted paths into the arguments
}

// annotation is a kind of annotation that policies may have.
type annotation struct {
	// only is permit or forbid when the annotation means nothing on the other.
	only string
	// take reads the value and says what is wrong with it, or "".
	take func(r *rule, value string) string
}

var annotations = map[string]annotation{
	"id":          {"", takeID},
	"description": {"", func(*rule, string) string { return "" }},
	"reason":      {"forbid", func(r *rule, v string) string { return takeSentence(&r.reason, v) }},
	"approve":     {"permit", func(r *rule, v string) string { return takeSentence(&r.approve, v) }},
	"redact":      {"permit", takeRedact},
}

// reserved begins the names of decisions that no policy made.
const reserved = "policy:"

// annotate reads a policy's annotations, the id first, since faults tell it.
func (r *rule) annotate(as cedar.Annotations) (faults Faults) {
	keys := []string{"id"}
	for _, key := range slices.Sorted(maps.Keys(as)) {
		if key != "id" {
			keys = append(keys, string(key))
		}
	}
	for _, key := range keys {
		value, there := as[types.AnnotationKey(key)]
		if !there {
			continue
		}
		if message, fix := r.takeAnnotation(key, string(value)); message != "" {
			f := r.fault("@"+key, "%s", message)
			f.Fix = fix
			faults = append(faults, f)
		}
	}
	return faults
}

func (r *rule) takeAnnotation(key, value string) (message, fix string) {
	known, ok := annotations[key]
	names := slices.Sorted(maps.Keys(annotations))
	switch {
	case !ok && nearest.Name(key, names) != "":
		return fmt.Sprintf("unknown annotation @%s", key), nearest.DidYouMean(key, names)
	case !ok:
		return fmt.Sprintf("unknown annotation @%s", key), "there are @" + strings.Join(names, ", @")
	case known.only != "" && known.only != r.effect():
		return fmt.Sprintf("@%s means nothing on a %s", key, r.effect()),
			fmt.Sprintf("put it on a %s; for people who read the policy there is @description", known.only)
	}
	if wrong := known.take(r, value); wrong != "" {
		return fmt.Sprintf("@%s: %s", key, wrong), ""
	}
	return "", ""
}

func takeID(r *rule, value string) string {
	switch {
	case strings.TrimSpace(value) == "":
		return "it is empty; name the policy, for example @id(\"read-data\")"
	case strings.HasPrefix(value, reserved):
		return "names that begin with " + reserved + " are for decisions that no policy made"
	case strings.ContainsFunc(value, unicode.IsControl):
		return "a name is one line without control characters"
	}
	r.name = value
	return ""
}

func takeSentence(into *string, value string) string {
	if strings.TrimSpace(value) == "" {
		return "it is empty; say in a sentence why"
	}
	*into = strings.Join(strings.Fields(value), " ") // callers and the audit get one line
	if strings.ContainsFunc(*into, unicode.IsControl) {
		return "it has control characters; write plain text"
	}
	return ""
}

func takeRedact(r *rule, value string) string {
	for field := range strings.SplitSeq(value, ",") {
		p, wrong := argumentPath(strings.TrimSpace(field))
		if wrong != "" {
			return wrong
		}
		r.redact = append(r.redact, p)
	}
	return ""
}

// argumentPath returns a dotted path without the "$." that it may begin with.
func argumentPath(text string) (path, wrong string) {
	path = strings.TrimPrefix(text, "$.")
	for step := range strings.SplitSeq(path, ".") {
		if step == "" || step == "$" || strings.ContainsAny(step, "[]*'\" \t\n") {
			return "", fmt.Sprintf("`%s` is no path into the arguments; write the names with dots between them, as in $.headers.authorization", text)
		}
	}
	return path, ""
}
