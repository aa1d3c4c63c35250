package governance

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcp-supervisor/supervisor/internal/nearest"
)

// maxName bounds the names that are quoted in a sentence, in bytes: callers choose them.
const maxName = 100

// tick quotes a name for a sentence. One that could disturb a line of text is escaped; a long one is cut.
func tick(name string) string {
	cut := name
	if len(cut) > maxName {
		cut = strings.ToValidUTF8(cut[:maxName], "") + "…"
	}
	if q := strconv.Quote(cut); q[1:len(q)-1] != cut || strings.Contains(cut, "`") {
		return q
	}
	return "`" + cut + "`"
}

// ticks joins quoted names with commas.
func ticks(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = tick(n)
	}
	return strings.Join(quoted, ", ")
}

func plural(n int, one string) string {
	if n == 1 {
		return one
	}
	return one + "s"
}

// didYouMean is "; did you mean `x`?" for the nearest candidate, or nothing when none is near.
func didYouMean(name string, candidates []string) string {
	if question := nearest.DidYouMean(name, candidates); question != "" {
		return "; " + question
	}
	return ""
}

// jsonType names a decoded JSON value's type in JSON Schema's words.
func jsonType(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// article puts the right article before a JSON type.
func article(jsonType string) string {
	switch jsonType {
	case "null":
		return "null"
	case "array", "object", "integer":
		return "an " + jsonType
	}
	return "a " + jsonType
}
