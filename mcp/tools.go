package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// maxPages ends a list whose server never stops giving cursors: 1,000 pages hold more tools than any model takes.
const maxPages = 1000

// Refresh lists the tools anew, all pages, and returns the new catalogue, which Catalogue returns from then on. A
// malformed tool is left out with a warning, and the rest serve. One list is fetched at a time.
//
// It returns ctx's error, the server's *spec.RPCError, or why there is no answer; the old catalogue stays then.
func (s *Session) Refresh(ctx context.Context) (*spec.Catalogue, error) {
	select {
	case s.refreshing <- struct{}{}:
		defer func() { <-s.refreshing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	l := listing{catalogue: s.about, seen: map[string]bool{}}
	if err := s.list(ctx, &l); err != nil {
		return nil, err
	}
	for _, w := range l.catalogue.Warnings {
		s.warn(w)
	}
	s.catalogue.Store(&l.catalogue)
	return &l.catalogue, nil
}

// list reads all pages into l. A page that fails after the first leaves what there is.
func (s *Session) list(ctx context.Context, l *listing) error {
	var cursor json.RawMessage
	cursors := map[string]bool{}
	for page := 1; ; page++ {
		next, err := s.page(ctx, l, cursor)
		switch {
		case err != nil && page > 1 && ctx.Err() == nil && isAnswer(err):
			l.warn("the tool list is incomplete: page %d: %v", page, err)
			return nil
		case err != nil:
			return err
		case next == nil:
			return nil
		case cursors[string(next)]:
			l.warn("the tool list is incomplete: the server repeats the cursor of page %d", page)
			return nil
		case page == maxPages:
			l.warn("the tool list is incomplete: it has more than %d pages", maxPages)
			return nil
		}
		cursors[string(next)] = true
		cursor = next
	}
}

// page reads one page and returns the next cursor, nil after the last. A server that knows no tools/list has no tools.
func (s *Session) page(ctx context.Context, l *listing, cursor json.RawMessage) (next json.RawMessage, err error) {
	params := []byte(`{}`)
	if cursor != nil {
		params = fmt.Appendf(nil, `{"cursor":%s}`, cursor)
	}
	r := s.request(ctx, "tools/list", params)
	switch {
	case r.Err != nil:
		return nil, r.Err
	case r.RPC != nil && r.RPC.Code == methodNotFound && cursor == nil:
		return nil, nil
	case r.RPC != nil:
		return nil, r.RPC
	}
	return l.page(r.Result)
}

// listing collects the pages of one tool list. It is pure.
type listing struct {
	catalogue spec.Catalogue
	seen      map[string]bool // names
}

func (l *listing) warn(format string, args ...any) {
	l.catalogue.Warnings = append(l.catalogue.Warnings, fmt.Sprintf(format, args...))
}

// page adds the tools of one tools/list result. A missing or null list is an empty one.
func (l *listing) page(result []byte) (next json.RawMessage, err error) {
	var tools []byte
	ok := members(result, func(key, value []byte) {
		switch {
		case string(key) == "tools" && tools == nil:
			tools = value
		case string(key) == "nextCursor" && next == nil && value[0] == '"' && string(value) != `""`:
			next = value
		}
	})
	if !ok && string(result) != "null" {
		return nil, fmt.Errorf("tools/list: %w: the result is not an object", ErrNoAnswer)
	}
	if tools == nil || string(tools) == "null" {
		return next, nil
	}
	if !elements(tools, l.add) {
		return nil, fmt.Errorf("tools/list: %w: tools is not an array", ErrNoAnswer)
	}
	return next, nil
}

// add adds one tool, or a warning why not.
func (l *listing) add(raw []byte) {
	tool, err := readTool(raw)
	switch {
	case err != nil:
		l.warn("tool left out: %v: %s", err, excerpt(raw))
	case l.seen[tool.Name]:
		l.warn("tool %q left out: the name is taken by one before it", tool.Name)
	default:
		l.seen[tool.Name] = true
		l.catalogue.Tools = append(l.catalogue.Tools, tool)
	}
}

func readTool(raw []byte) (spec.Tool, error) {
	tool := spec.Tool{Raw: raw}
	fields := map[string][]byte{}
	if !members(raw, func(key, value []byte) {
		if _, had := fields[string(key)]; !had {
			fields[string(key)] = value
		}
	}) {
		return tool, errors.New("not an object")
	}
	name, ok := str(fields["name"])
	if !ok || name == "" {
		return tool, errors.New("it has no name")
	}
	tool.Name = name
	tool.Description, _ = str(fields["description"])
	if schema := fields["inputSchema"]; schema != nil && string(schema) != "null" {
		if schema[0] != '{' {
			return tool, errors.New("its inputSchema is not an object")
		}
		tool.InputSchema = schema
	}
	tool.Annotations = readAnnotations(fields["annotations"])
	return tool, nil
}

// readAnnotations reads the hints that have the type they should have; others count as not said.
func readAnnotations(raw []byte) (a spec.Annotations) {
	members(raw, func(key, value []byte) {
		switch string(key) {
		case "title":
			a.Title, _ = str(value)
		case "readOnlyHint":
			a.ReadOnly = boolean(value)
		case "destructiveHint":
			a.Destructive = boolean(value)
		case "idempotentHint":
			a.Idempotent = boolean(value)
		case "openWorldHint":
			a.OpenWorld = boolean(value)
		}
	})
	return a
}

// str decodes a JSON string; other values are none.
func str(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

func boolean(raw []byte) *bool {
	switch string(raw) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}
