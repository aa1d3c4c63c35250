package policy

import (
	"slices"

	"github.com/cedar-policy/cedar-go"
)

// index finds the rules that can match a request by what their scopes name: first the principal's, then the resource's.
// The zero entity stands for scopes that name nothing. Each rule is in one place, and a rule whose action is never
// asked for is in none.
type index map[cedar.EntityUID]map[cedar.EntityUID][]*rule

func newIndex(rules []*rule) index {
	ix := index{}
	for _, r := range rules {
		if !r.facts.action.covers(callTool) {
			continue
		}
		who, what := r.facts.principal.key(), r.facts.resource.key()
		if ix[who] == nil {
			ix[who] = map[cedar.EntityUID][]*rule{}
		}
		ix[who][what] = append(ix[who][what], r)
	}
	return ix
}

// key is the one entity that what the scope covers is, or has among its parents.
func (s scope) key() cedar.EntityUID {
	if s.bound {
		return s.of[0] // principals and resources are bound to one
	}
	return cedar.EntityUID{}
}

// candidates returns all rules whose scopes cover the request, and perhaps some more. A rule is looked for under every
// entity that its scope may name: that is why leaving out the others changes no decision.
func (ix index) candidates(e *entities) []*rule {
	var found []*rule
	anything := cedar.EntityUID{}
	for i, who := range e.principals {
		if slices.Contains(e.principals[:i], who) {
			continue // a group that is named twice
		}
		byResource := ix[who]
		if byResource == nil {
			continue
		}
		for _, what := range [...]cedar.EntityUID{anything, e.tool, e.server} {
			found = append(found, byResource[what]...)
		}
	}
	return found
}
