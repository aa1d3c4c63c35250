package fake

import (
	"slices"
	"strings"
)

// weirdNames are names that providers refuse, cut, or confuse with each other.
var weirdNames = []string{
	"with.dot", "with/slash", "with space", "with:colon", "grüße_日本語", "emoji_🙂",
	"x", strings.Repeat("a", 64), strings.Repeat("b", 65), strings.Repeat("c", 130),
	// The same after every character that is not allowed became an underscore.
	"same.name", "same/name", "same_name",
	// They differ behind character 90 only.
	strings.Repeat("d", 90) + "_one", strings.Repeat("d", 90) + "_two",
	"new\nline", "UPPER", "upper", "", " ",
}

// weirdModes list tools that are hard to pass on to a model.
func weirdModes() []mode {
	return []mode{
		{
			name: "weird-names", about: "tool names: dots, slashes, spaces, unicode, 1/64/65/130 characters, collisions, empty",
			tools: func(_ *server, list []listed) []listed {
				for _, name := range weirdNames {
					list = append(list, plain(name, "has an odd name"))
				}
				return list
			},
		},
		{
			name: "weird-schemas", about: "43 tools, each with one odd input schema (named s_*)",
			tools: func(*server, []listed) []listed { return oddlyTyped() },
		},
		{
			name: "bad-tool-in-list", about: "good tools with three malformed ones between them",
			tools: func(_ *server, list []listed) []listed {
				for i, bad := range []string{`{"name":42,"inputSchema":{"type":"object"}}`, `"just a string"`, `{"description":"no name","inputSchema":"none"}`} {
					list = slices.Insert(list, min(2*i+1, len(list)), listed{"", bad})
				}
				return list
			},
		},
	}
}

func oddlyTyped() []listed {
	var list []listed
	for _, odd := range oddSchemas {
		t := withSchema(odd.name, "has an odd schema", odd.schema)
		if odd.schema == "" {
			t = listed{odd.name, `{"name":` + quote(odd.name) + `,"description":"has no schema"}`}
		}
		list = append(list, t)
	}
	return list
}
