package fake

import (
	"fmt"
	"slices"
	"strings"
)

// list is what tools/list shows: the base tools, or those that --tools names, and what the modes make of it.
func (s *server) list() []listed {
	list := base()
	if len(s.tools) > 0 {
		list = nil
		for _, name := range s.tools {
			list = append(list, byName(name))
		}
	}
	for _, m := range s.modes {
		if m.tools != nil {
			list = m.tools(s, list)
		}
	}
	return list
}

func base() []listed {
	var list []listed
	for _, t := range baseTools() {
		list = append(list, t.listed())
	}
	return list
}

// byName is a base tool, or a plain tool with that name.
func byName(name string) listed {
	if i := slices.IndexFunc(baseTools(), func(t tool) bool { return t.name == name }); i >= 0 {
		return baseTools()[i].listed()
	}
	return plain(name, "answers with its name")
}

func (t tool) listed() listed {
	return listed{t.name, fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s,"annotations":{"readOnlyHint":%t,"destructiveHint":%t}}`,
		quote(t.name), quote(t.about), t.schema, t.reads, !t.reads)}
}

func plain(name, about string) listed {
	return withSchema(name, about, `{"type":"object","properties":{}}`)
}

func withSchema(name, about, schema string) listed {
	return listed{name, fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s}`, quote(name), quote(about), schema)}
}

// listResult is the result of tools/list; an empty cursor means the last page.
func listResult(list []listed, cursor string) string {
	var tools []string
	for _, t := range list {
		tools = append(tools, t.json)
	}
	next := ""
	if cursor != "" {
		next = `,"nextCursor":` + quote(cursor)
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]` + next + `}`
}
