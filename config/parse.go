package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// Bounds of one file. A workspace file is written by hand: they are far above what anybody writes, and keep a hostile
// file (aliases of aliases, say) from eating the machine.
const (
	maxFile   = 4 << 20 // bytes
	maxValues = 100_000 // after aliases are expanded
	maxDepth  = 100
	maxPath   = 200 // bytes of a field's name in a message
)

// parse turns the text of one file into its top mapping, which is absent when there was a fault. Without an expander
// placeholders are text like any other.
func parse(doc *document, data []byte, env *expander, r *report) value {
	top := value{doc: doc, line: 1}
	node, err := decode(data)
	if err != nil {
		top.line, err = lineOf(err)
		r.fault(top, "", "%v", err)
		return top
	}
	if node.Kind != yaml.MappingNode {
		top.line = node.Line
		r.fault(top, "", "expected a mapping at the top, found %s", nodeKind(node))
		return top
	}
	b := builder{doc: doc, env: env, report: r, left: maxValues, open: map[*yaml.Node]bool{}}
	built := b.build(node, "", 0)
	if b.failed {
		return top
	}
	return built
}

// decode reads exactly one YAML document. The parser is not ours, so a panic of it is one more syntax error.
func decode(data []byte) (node *yaml.Node, err error) {
	err = safe.Do("YAML parser", func() error {
		var first, second yaml.Node
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		switch err := decoder.Decode(&first); {
		case errors.Is(err, io.EOF) || err == nil && len(first.Content) == 0:
			return errors.New("the file is empty: expected a mapping")
		case err != nil:
			return err
		}
		node = first.Content[0]
		if err := decoder.Decode(&second); err == nil {
			return fmt.Errorf("line %d: a second document: one file holds one document", second.Line)
		} else if !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	})
	return node, err
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// lineOf takes the line out of a YAML error's text, which is the only place that has it.
//
// Implementation note: yaml.v3 counts lines from 0 in errors of its parser ("did not find ...") and from 1 in those of
// its scanner, and leaves out the first one.
func lineOf(err error) (int, error) {
	message, syntax := strings.CutPrefix(err.Error(), "yaml: ")
	line := 1
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
		if strings.HasPrefix(message, "did not find expected") {
			line++
			message += " (the list or mapping that is broken starts on this line)"
		}
	}
	if syntax {
		message = "YAML: " + message
	}
	return max(line, 1), errors.New(message)
}

func nodeKind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return "a " + string(text)
}

// resolve gives a scalar its type by YAML's rules. Dates stay strings: nothing in a workspace is a date to us.
func resolve(n *yaml.Node) (kind, any) {
	var decoded any
	switch n.ShortTag() {
	case "!!null":
		return null, nil
	case "!!bool", "!!int", "!!float":
		if n.Decode(&decoded) != nil {
			return text, nil
		}
	}
	switch decoded := decoded.(type) {
	case bool:
		return boolean, decoded
	case int, int64, uint64:
		return number, decoded
	case float64:
		return number, decoded
	}
	return text, nil
}

// finite reports whether a number can be used (and written as JSON) at all.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
