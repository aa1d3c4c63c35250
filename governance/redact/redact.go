// Package redact takes parts out of the arguments of a call before anybody but the server sees them: the audit, or the
// person who is asked to approve the call.
//
// Paths are JSONPath (RFC 9535), or names with dots between them. It is pure and safe for concurrent use.
package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
)

// Word stands for what was taken out.
const Word = "[redacted]"

// all stands for arguments of which nothing may be shown.
var all = json.RawMessage(`"` + Word + `"`)

// Check reports whether Apply understands a path. One that does not begin with $ begins at the arguments, and is names
// with dots between them: "headers.x-key". A step into an array then means each of its elements, as in policies.
func Check(path string) error {
	if dotted(path) {
		return nil
	}
	_, err := parse(path)
	return err
}

// dotted reports a path of names only, which JSONPath does not follow into arrays.
func dotted(path string) bool {
	return !strings.HasPrefix(path, "$") && path != "" && !strings.ContainsAny(path, "[]*'\" ") && !slices.Contains(strings.Split(path, "."), "")
}

func parse(path string) (*jsonpath.Path, error) {
	if !strings.HasPrefix(path, "$") {
		path = "$." + path
	}
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, fmt.Errorf("%q is no JSONPath: %w", path, err)
	}
	return p, nil
}

// Apply replaces the values at the paths by Word. Numbers keep their digits; what nobody asked to redact stays as it is.
// It fails closed: of arguments that are no JSON, or with a path that cannot be understood, nothing is left.
func Apply(raw json.RawMessage, paths []string) json.RawMessage {
	if len(paths) == 0 || len(raw) == 0 {
		return raw
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	if decoder.Decode(&tree) != nil {
		return all
	}
	for _, path := range paths {
		if dotted(path) {
			tree = hide(tree, strings.Split(path, "."))
			continue
		}
		p, err := parse(path)
		if err != nil {
			return all
		}
		for _, node := range p.SelectLocated(tree) {
			tree = set(tree, node.Path)
		}
	}
	out, err := json.Marshal(tree)
	if err != nil {
		return all
	}
	return out
}

// hide replaces what the names lead to, in each element of an array on the way.
func hide(tree any, names []string) any {
	if len(names) == 0 {
		return Word
	}
	switch in := tree.(type) {
	case []any:
		for n := range in {
			in[n] = hide(in[n], names)
		}
	case map[string]any:
		if value, there := in[names[0]]; there {
			in[names[0]] = hide(value, names[1:])
		}
	}
	return tree
}

// set replaces the value at a normalized path, and returns the tree it is in.
func set(tree any, at spec.NormalizedPath) any {
	if len(at) == 0 {
		return Word
	}
	switch in := tree.(type) {
	case map[string]any:
		if key, ok := at[0].(spec.Name); ok {
			in[string(key)] = set(in[string(key)], at[1:])
		}
	case []any:
		if n, ok := at[0].(spec.Index); ok && int(n) < len(in) {
			in[n] = set(in[n], at[1:])
		}
	}
	return tree
}
