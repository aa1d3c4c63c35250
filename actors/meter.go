package actors

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance/budget"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of the meter.
type (
	// reserve counts a call before it is sent; the sender gets reserved.
	reserve struct{ Call messages.Call }
	// reserved is a yes, or the reason of a no and how long the caller should wait.
	reserved struct {
		CallID     string
		Rule       string
		Reason     string
		RetryAfter messages.Millis
	}
)

// meter counts calls against the rates of the workspace and the step limits of runs. It is one actor, so that a call
// takes from all that apply to it or from none.
type meter struct {
	env *env
	*used
}

// used is what was counted: a crash of the meter does not forget it.
type used struct {
	rules []gov.Rate // of the rates
	rates *budget.Rates
	runs  map[string]*budget.Steps
}

func newUsed() *used { return &used{rates: budget.NewRates(nil), runs: map[string]*budget.Steps{}} }

func newMeter(e *env, u *used) *meter { return &meter{env: e, used: u} }

// meters reports whether calls have to be counted at all.
func (e *env) meters() bool {
	g := e.ws().Governance
	return len(g.Rates) > 0 || g.Limits.StepsPerAgent > 0 || g.Limits.StepsPerRun > 0
}

func (m *meter) Receive(ctx actor.Context) {
	switch msg := ctx.Message().(type) {
	case reserve:
		ctx.Respond(m.reserve(msg.Call))
	case runOver:
		delete(m.runs, msg.Run)
	default:
		m.env.unexpected("meter", msg)
	}
}

// reserve asks the steps first: they can be given back when a rate says no.
func (m *meter) reserve(c messages.Call) reserved {
	m.adopt()
	steps := m.stepsOf(c)
	if err := steps.Reserve(c.Agent); err != nil {
		var over *budget.ExceededError
		errors.As(err, &over)
		return reserved{CallID: c.ID, Rule: "limit:" + over.Budget, Reason: err.Error()}
	}
	ok, wait, rule := m.rates.Take(time.Now(), budget.Call{Topology: c.Topology, Agent: c.Agent, Server: c.Server, Tool: c.Tool})
	if ok {
		return reserved{CallID: c.ID}
	}
	steps.Release(c.Agent)
	r := reserved{CallID: c.ID, Rule: rule, RetryAfter: messages.Millis(wait), Reason: "too many calls in too short a time"}
	if wait > 0 {
		r.Reason += fmt.Sprintf("; try again in %s", round(wait))
	}
	return r
}

// adopt takes over the rates of the workspace in force.
func (m *meter) adopt() {
	rules := m.env.ws().Governance.Rates
	if reflect.DeepEqual(rules, m.rules) {
		return
	}
	list := make([]budget.Rate, len(rules))
	for n, r := range rules {
		list[n] = budget.Rate(r)
	}
	m.rules = rules
	m.rates.Change(list)
}

// stepsOf are the steps of a call's run. A call outside a run is nobody's step.
func (m *meter) stepsOf(c messages.Call) *budget.Steps {
	if c.Run == "" {
		return &budget.Steps{}
	}
	steps := m.runs[c.Run]
	if steps == nil {
		steps = &budget.Steps{}
		m.runs[c.Run] = steps
	}
	limits := m.env.ws().Governance.Limits
	steps.MaxPerAgent, steps.MaxPerRun = limits.StepsPerAgent, limits.StepsPerRun
	return steps
}

func (m *meter) letGo(actor.Context, *safe.Crash) {}

// refuse fails closed: a call that cannot be counted is not let through.
func (m *meter) refuse(ctx actor.Context, c *safe.Crash) {
	switch msg := ctx.Message().(type) {
	case reserve:
		ctx.Respond(m.env.uncounted(msg.Call, c))
	case runOver:
		delete(m.runs, msg.Run)
	}
}

func (e *env) uncounted(c messages.Call, crash *safe.Crash) reserved {
	return reserved{CallID: c.ID, Rule: "limit", Reason: "it could not be counted against its limits: " + e.unsent(c, crash).Error.Message}
}
