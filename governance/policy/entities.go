package policy

import (
	"math"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// Types of the entities. Rules name others in vain.
const (
	typeAgent  cedar.EntityType = "Agent"
	typeGroup  cedar.EntityType = "Group"
	typeRole   cedar.EntityType = "Role"
	typeAction cedar.EntityType = "Action"
	typeTool   cedar.EntityType = "Tool"
	typeServer cedar.EntityType = "Server"
)

// callTool is the only action.
var callTool = cedar.NewEntityUID(typeAction, "call_tool")

// entities are the entities of one request, as Cedar asks for them. Attributes are made when a rule wants them.
type entities struct {
	r Request
	// principals are the zero entity, the agent and its parents: what the principal's scope of a rule may name.
	principals   []cedar.EntityUID
	tool, server cedar.EntityUID
	// reads are the attributes that the rules read, and arguments those of the arguments.
	reads     attributes
	arguments cedar.Record
	made      map[cedar.EntityUID]cedar.Entity
}

func newEntities(r Request) *entities {
	e := &entities{
		r:          r,
		principals: make([]cedar.EntityUID, 1, 3+len(r.Agent.Groups)),
		tool:       cedar.NewEntityUID(typeTool, cedar.String(r.Server+"/"+r.Tool)),
		server:     cedar.NewEntityUID(typeServer, cedar.String(r.Server)),
	}
	e.principals = append(e.principals, r.Agent.uid())
	e.principals = append(e.principals, r.Agent.parents()...)
	return e
}

// uid is Agent::"topology/id". The slash is there even without a topology: nobody but the operator is
// Agent::"operator".
func (a Agent) uid() cedar.EntityUID {
	if a.Operator {
		return cedar.NewEntityUID(typeAgent, spec.Operator)
	}
	return cedar.NewEntityUID(typeAgent, cedar.String(a.Topology+"/"+a.ID))
}

func (a Agent) parents() []cedar.EntityUID {
	var parents []cedar.EntityUID
	for _, g := range a.Groups {
		parents = append(parents, cedar.NewEntityUID(typeGroup, cedar.String(g)))
	}
	if a.Role != "" && !a.Operator {
		parents = append(parents, cedar.NewEntityUID(typeRole, cedar.String(a.Role)))
	}
	return parents
}

func (e *entities) principal() cedar.EntityUID { return e.principals[1] }

// Get returns the agent or the tool. Groups, roles and servers are names only: they have neither attributes nor parents.
func (e *entities) Get(uid cedar.EntityUID) (cedar.Entity, bool) {
	if made, ok := e.made[uid]; ok {
		return made, true
	}
	made := cedar.Entity{UID: uid}
	switch uid {
	case e.principal():
		made.Parents, made.Attributes = cedar.NewEntityUIDSet(e.principals[2:]...), e.record("principal")
	case e.tool:
		made.Parents, made.Attributes = cedar.NewEntityUIDSet(e.server), e.record("resource")
	default:
		return cedar.Entity{}, false
	}
	if e.made == nil {
		e.made = make(map[cedar.EntityUID]cedar.Entity, 2)
	}
	e.made[uid] = made
	return made, true
}

// asPrincipal is the agent as rules see it: of the operator they see no more than that.
func (a Agent) asPrincipal() Agent {
	if a.Operator {
		a.Topology, a.ID, a.Role = "", spec.Operator, ""
	}
	return a
}

// trust is rounded to the four digits a decimal has; what is no number from 0 to 1 is brought there, NaN to 0.
func trust(t float64) cedar.Decimal {
	if !(t > 0) {
		t = 0
	}
	d, err := cedar.NewDecimal(int64(math.Round(min(t, 1)*1e4)), -4)
	if err != nil { // not reached: 0 to 10000 ten-thousandths always fit
		panic("policy.trust: " + err.Error())
	}
	return d
}

// hint is nil where a tool does not give it.
func hint(h *bool) cedar.Value {
	if h == nil {
		return nil
	}
	return cedar.Boolean(*h)
}

// tags are those of the tool and of its server.
func tags(r Request) cedar.Set {
	var all []cedar.Value
	for _, list := range [][]string{r.ToolTags, r.ServerTags} {
		for _, t := range list {
			all = append(all, cedar.String(t))
		}
	}
	return cedar.NewSet(all...)
}
