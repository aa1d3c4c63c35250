package policy

import (
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
)

// facts are what we look at in a policy without evaluating it. This file, conditions.go and schema.go are all that
// know cedar-go's experimental packages.
type facts struct {
	principal, action, resource scope
	// paths are the attributes the conditions read, or ask for with has, each from its variable on:
	// ["context", "arguments", "path"]. A variable that is used as a whole is a path of one.
	paths [][]string
	// reads are the attributes that may be read by these paths, or of the entities below.
	reads attributes
	// entities and types are those the conditions name.
	entities []cedar.EntityUID
	types    []cedar.EntityType
	// compared are the comparisons of an attribute with a literal.
	compared []comparison
	// never is true when a condition is the literal false.
	never bool
}

// scope is one of the three parts of a policy's head.
type scope struct {
	// is restricts the type; empty does not.
	is cedar.EntityType
	// bound tells whether of restricts anything; eq that it must be met exactly, not through parents.
	bound, eq bool
	of        []cedar.EntityUID
}

// comparison is `path == value`, or one with <, !=, contains and so on.
type comparison struct {
	path     []string
	operator string
	value    cedar.Value
}

func factsOf(p *cedar.Policy) facts {
	tree := (*ast.Policy)(p.AST())
	f := facts{principal: scopeOf(tree.Principal), action: scopeOf(tree.Action), resource: scopeOf(tree.Resource)}
	for _, c := range tree.Conditions {
		ast.Inspect(ast.NewNode(c.Body), f.visit)
		if v, ok := c.Body.(ast.NodeValue); ok && v.Value == cedar.Boolean(c.Condition == ast.ConditionUnless) {
			f.never = true
		}
	}
	f.reads = f.attributes()
	return f
}

// attributes are all that the conditions may read. An agent or a tool that is named may be the request's.
func (f *facts) attributes() (read attributes) {
	for _, path := range f.paths {
		read |= attributesOf(path)
	}
	for _, e := range f.entities {
		switch e.Type {
		case typeAgent:
			read |= attributesOf([]string{"principal"})
		case typeTool:
			read |= attributesOf([]string{"resource"})
		}
	}
	return read
}

func scopeOf(node ast.IsScopeNode) scope {
	switch n := node.(type) {
	case ast.ScopeTypeAll:
	case ast.ScopeTypeEq:
		return scope{bound: true, eq: true, of: []cedar.EntityUID{n.Entity}}
	case ast.ScopeTypeIn:
		return scope{bound: true, of: []cedar.EntityUID{n.Entity}}
	case ast.ScopeTypeInSet:
		return scope{bound: true, of: n.Entities}
	case ast.ScopeTypeIs:
		return scope{is: n.Type}
	case ast.ScopeTypeIsIn:
		return scope{is: n.Type, bound: true, of: []cedar.EntityUID{n.Entity}}
	}
	return scope{}
}

// covers reports whether an entity with these parents is in the scope.
func (s scope) covers(self cedar.EntityUID, parents ...cedar.EntityUID) bool {
	if s.is != "" && s.is != self.Type {
		return false
	}
	return !s.bound || slices.ContainsFunc(s.of, func(e cedar.EntityUID) bool {
		return e == self || !s.eq && slices.Contains(parents, e)
	})
}

// text is the scope in Cedar, after the name of its variable.
func (s scope) text(variable string) string {
	if s.is != "" {
		variable += " is " + string(s.is)
	}
	var of []string
	for _, e := range s.of {
		of = append(of, e.String())
	}
	switch {
	case !s.bound:
		return variable
	case s.eq:
		return variable + " == " + of[0]
	case len(of) == 1:
		return variable + " in " + of[0]
	}
	return variable + " in [" + strings.Join(of, ", ") + "]"
}

// visit collects facts from one node and says whether to go on below it.
func (f *facts) visit(node ast.IsNode) bool {
	f.compare(node)
	switch n := node.(type) { //nolint:gochecksumtype // all other nodes are no concern of it
	case ast.NodeValue:
		if e, ok := n.Value.(cedar.EntityUID); ok {
			f.entities = append(f.entities, e)
		}
	case ast.NodeTypeIs:
		f.types = append(f.types, n.EntityType)
	case ast.NodeTypeIsIn:
		f.types = append(f.types, n.EntityType)
	case ast.NodeTypeVariable, ast.NodeTypeAccess, ast.NodeTypeHas:
		if path := pathOf(node); path != nil {
			f.paths = append(f.paths, path)
			return false
		}
	}
	return true
}

// pathOf returns the attribute path that a node is, or nil.
func pathOf(node ast.IsNode) []string {
	switch n := node.(type) { //nolint:gochecksumtype // all other nodes are no concern of it
	case ast.NodeTypeVariable:
		return []string{string(n.Name)}
	case ast.NodeTypeAccess:
		return deeper(n.StrOpNode)
	case ast.NodeTypeHas:
		return deeper(n.StrOpNode)
	}
	return nil
}

func deeper(n ast.StrOpNode) []string {
	if path := pathOf(n.Arg); path != nil {
		return append(path, string(n.Value))
	}
	return nil
}

func (f *facts) compare(node ast.IsNode) {
	operator, left, right := operands(node)
	for _, pair := range [][2]ast.IsNode{{left, right}, {right, left}} {
		if _, has := pair[0].(ast.NodeTypeHas); has || pair[0] == nil {
			continue
		}
		literal, ok := pair[1].(ast.NodeValue)
		if path := pathOf(pair[0]); ok && path != nil {
			f.compared = append(f.compared, comparison{path, operator, literal.Value})
		}
	}
}

func operands(node ast.IsNode) (operator string, left, right ast.IsNode) {
	switch n := node.(type) { //nolint:gochecksumtype // all other nodes are no concern of it
	case ast.NodeTypeEquals:
		return "==", n.Left, n.Right
	case ast.NodeTypeNotEquals:
		return "!=", n.Left, n.Right
	case ast.NodeTypeLessThan:
		return "<", n.Left, n.Right
	case ast.NodeTypeLessThanOrEqual:
		return "<=", n.Left, n.Right
	case ast.NodeTypeGreaterThan:
		return ">", n.Left, n.Right
	case ast.NodeTypeGreaterThanOrEqual:
		return ">=", n.Left, n.Right
	}
	return "", nil, nil
}
