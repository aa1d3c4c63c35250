package policy

import (
	"strings"

	"github.com/cedar-policy/cedar-go"
	public "github.com/cedar-policy/cedar-go/ast"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
)

// clause is one part of a policy's conditions that must hold: what stands between && in a when, or a whole unless.
type clause struct {
	when bool
	// text is the expression in Cedar.
	text string
	// policy is a permit with the expression as its only condition.
	policy *cedar.Policy
}

// clauses are the conditions of a policy in the order they are evaluated in.
func clauses(p *cedar.Policy) []clause {
	var out []clause
	for _, c := range (*ast.Policy)(p.AST()).Conditions {
		if c.Condition == ast.ConditionUnless {
			out = append(out, newClause(c.Body, false))
			continue
		}
		for _, part := range conjuncts(c.Body) {
			out = append(out, newClause(part, true))
		}
	}
	return out
}

// unscoped is the policy without its scope.
func unscoped(p *cedar.Policy) *cedar.Policy {
	tree := *(*ast.Policy)(p.AST())
	tree.Principal, tree.Action, tree.Resource = ast.Scope{}.All(), ast.Scope{}.All(), ast.Scope{}.All()
	return cedar.NewPolicyFromAST((*public.Policy)(&tree))
}

func conjuncts(node ast.IsNode) []ast.IsNode {
	if and, ok := node.(ast.NodeTypeAnd); ok {
		return append(conjuncts(and.Left), conjuncts(and.Right)...)
	}
	return []ast.IsNode{node}
}

func newClause(node ast.IsNode, when bool) clause {
	p := cedar.NewPolicyFromAST((*public.Policy)(ast.Permit().When(ast.NewNode(node))))
	text := string(p.MarshalCedar())
	text = text[strings.Index(text, "{")+1 : strings.LastIndex(text, "}")]
	return clause{when: when, text: strings.Join(strings.Fields(text), " "), policy: p}
}

// holds evaluates the clause.
func (c clause) holds(e *entities, q cedar.Request) (ok bool, failed string) {
	decision, d := cedar.Authorize(cedar.PolicyMap{"": c.policy}, e, q)
	if len(d.Errors) > 0 {
		return false, d.Errors[0].Message
	}
	return bool(decision) == c.when, ""
}

// String is the clause as a sentence about what has to be.
func (c clause) String() string {
	if c.when {
		return c.text
	}
	return "not (" + c.text + ")"
}
