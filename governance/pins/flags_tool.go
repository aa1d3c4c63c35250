package pins

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// maxToolFlags bounds the flags of one pin, so that a hostile tool does not fill the file.
const maxToolFlags = 32

// flagsOf looks at everything of a tool that a model reads, and says where it found what.
func flagsOf(t mcpspec.Tool) []string {
	var f finder
	f.text("name", t.Name)
	f.text("description", t.Description)
	f.text("title", t.Annotations.Title)
	var schema any
	if err := json.Unmarshal(t.InputSchema, &schema); err == nil {
		f.value("input schema", schema)
	}
	return f.flags
}

type finder struct{ flags []string }

func (f *finder) text(where, text string) {
	for _, flag := range Flags(text) {
		switch len(f.flags) {
		case maxToolFlags:
			f.flags = append(f.flags, "more of the same")
			return
		case maxToolFlags + 1:
			return
		}
		f.flags = append(f.flags, where+": "+flag)
	}
}

// value looks at all texts of a JSON value; where grows into the path to each. Numbers and such hide nothing.
func (f *finder) value(where string, v any) {
	switch v := v.(type) {
	case string:
		f.text(where, v)
	case []any:
		for i, item := range v {
			f.value(fmt.Sprintf("%s/%d", where, i), item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			f.text(where+", a key", key)
			f.value(where+"/"+visible(key), v[key])
		}
	}
}

// visible spells a key so that it is short and cannot disturb a line.
func visible(key string) string {
	const enough = 40
	quoted := strconv.Quote(key)
	quoted = quoted[1 : len(quoted)-1]
	if len(quoted) > enough {
		return strings.ToValidUTF8(quoted[:enough], "") + "…"
	}
	return quoted
}
