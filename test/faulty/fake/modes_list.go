package fake

import (
	"fmt"
	"strconv"
	"strings"
)

// cursorStart makes the cursor opaque, and hard to pass on unchanged by accident.
const cursorStart = "eyJ+/=% é&?#"

// listModes list their tools oddly.
func listModes() []mode {
	return []mode{
		{
			name: "paginated-tools", about: "pages of --n tools, 10 tools in all (page_00..page_09), nextCursor opaque", numbers: numbers{n: 3},
			on: map[string]hook{"tools/list": paginate},
		},
		{
			name: "dup-tools", about: `lists "echo" twice with different descriptions`,
			tools: func(_ *server, list []listed) []listed {
				return append(list, plain("echo", "the second echo"))
			},
		},
	}
}

func paginate(s *server, m *message, _ func()) {
	var all []listed
	for i := range 10 {
		all = append(all, plain(fmt.Sprintf("page_%02d", i), "one of ten"))
	}
	from, err := offset(m.Params.Cursor)
	if err != nil || from < 0 || from >= len(all) {
		s.fail(m, invalidParams, "unknown cursor "+quote(m.Params.Cursor))
		return
	}
	to, next := min(from+max(s.n, 1), len(all)), ""
	if to < len(all) {
		next = cursorStart + strconv.Itoa(to)
	}
	s.answer(m, listResult(all[from:to], next))
}

func offset(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	number, ok := strings.CutPrefix(cursor, cursorStart)
	if !ok {
		return 0, strconv.ErrSyntax
	}
	return strconv.Atoi(number)
}
