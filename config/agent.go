package config

import (
	"strings"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/models"
)

var (
	archetypeShape = shape{
		known:    "apiVersion kind metadata role defaults executor provenance",
		pedantic: "role defaults provenance",
	}
	defaultsShape = shape{known: "model prompt skills iam groups", idle: "output_schema"}
	agentShape    = shape{
		known:    "id role archetype model prompt skills skills_additional iam groups children",
		idle:     "depends_on[] requires{} output_schema funnel executor{} intent_monitoring{}",
		pedantic: "role",
	}
	agentIAMShape = shape{known: "base_scope elevated_scopes"}
)

// Roles of agents: the root, those with agents below them, and the rest.
const (
	rootRole   = "root"
	leaderRole = "leader"
	workerRole = "worker"
)

func (l *loader) readArchetype(top value) {
	l.check(top, archetypeShape)
	metadata := top.get("metadata")
	l.check(metadata, skillMetaShape)
	l.str(metadata.get("name"))
	l.str(metadata.get("description"))
	l.provenance(top.get("provenance"))
	oneOf(&l.report, top.get("role"), "", rootRole, leaderRole, workerRole)
	if executor := top.get("executor"); executor.get("kind").text != "model" && executor.given() {
		l.fields(executor)
		l.idle(executor)
	}
	l.check(top.get("defaults"), defaultsShape)
	l.blocks(&Agent{}, top.get("defaults")) // also when no agent uses it
	id := l.id(metadata.get("id"), "archetype")
	if id != "" && l.claim(metadata.get("id"), "archetype", id) {
		l.archetypes[id] = top
	}
}

// agent reads one agent and those below it. ids holds the ids of the topology so far.
func (l *loader) agent(v value, isRoot bool, ids map[string]value) Agent {
	l.check(v, agentShape)
	if v.kind != mapping {
		l.mustBeMapping(v)
		return Agent{}
	}
	archetype := l.archetype(v.get("archetype"))
	a := Agent{Agent: gov.Agent{ID: l.agentID(v.get("id"), ids), Role: l.role(v, isRoot, archetype)}}
	l.blocks(&a, withDefaults(archetype.get("defaults"), v))
	for _, child := range l.list(v.get("children")) {
		a.Children = append(a.Children, l.agent(child, false, ids))
	}
	return a
}

func (l *loader) mustBeMapping(v value) {
	if !v.given() {
		l.wrong(v, "a mapping")
	}
}

func (l *loader) archetype(v value) value {
	name := l.str(v)
	found, known := l.archetypes[name]
	if v.kind == text && !known && len(v.problems) == 0 {
		var names []string
		for id := range l.archetypes {
			names = append(names, id)
		}
		l.fault(v, orElse(didYouMean(v.raw, names), "add a file for it in archetypes/"), "archetype %s is not declared", v.quote())
	}
	return found
}

func (l *loader) agentID(v value, ids map[string]value) string {
	id := l.id(v, "agent")
	first, twice := ids[id]
	switch {
	case id == "":
	case id == gov.Operator:
		l.fault(v, "choose another id", "%q is the person at the keyboard, who may do everything", id)
	case twice:
		l.fault(v, "", "agent %q is declared twice, first on line %d", id, first.line)
	default:
		ids[id] = v
	}
	return id
}

// role reads an agent's role, or tells it from its place in the tree.
func (l *loader) role(v value, isRoot bool, archetype value) string {
	derived := workerRole
	switch {
	case isRoot:
		derived = rootRole
	case len(v.get("children").items) > 0:
		derived = leaderRole
	}
	field := v.get("role")
	role := oneOf(&l.report, field, derived, rootRole, leaderRole, workerRole)
	if isRoot != (role == rootRole) {
		l.fault(field, "", "the agent at the top is root and those below it leader or worker, found %s", field.quote())
	}
	if theirs := archetype.get("role"); field.given() && theirs.kind == text && theirs.text != role {
		l.warn(field, "", "the agent is a %s, its archetype is for a %s", role, theirs.text)
	}
	return role
}

// withDefaults lays an agent's own blocks over its archetype's: model, prompt and iam key by key; its skills and
// groups replace the archetype's.
func withDefaults(defaults, own value) value {
	all := own
	all.fields = nil
	for _, name := range []string{"model", "prompt", "iam"} {
		if merged := merge(defaults.get(name), own.get(name)); merged.given() {
			all.fields = append(all.fields, field{name, merged})
		}
	}
	for _, name := range []string{"skills", "groups"} {
		list := own.get(name)
		if !list.given() {
			list = defaults.get(name)
		}
		all.fields = append(all.fields, field{name, list})
	}
	all.fields = append(all.fields, field{"skills_additional", own.get("skills_additional")})
	return all
}

// blocks reads what an agent and an archetype's defaults have in common.
func (l *loader) blocks(a *Agent, v value) {
	a.Model = l.model(v.get("model"))
	a.System = l.prompt(v.get("prompt"))
	iam := v.get("iam")
	l.check(iam, agentIAMShape)
	a.Scopes = l.strs(iam.get("base_scope"))
	a.Elevated = l.strs(iam.get("elevated_scopes"))
	a.Groups = l.strs(v.get("groups"))
	for _, name := range []string{"skills", "skills_additional"} {
		for _, entry := range l.list(v.get(name)) {
			l.hold(a, entry)
		}
	}
}

// model reads a model block. What is not provider or name is an option; the options block wins.
func (l *loader) model(v value) models.Config {
	c := models.Config{Provider: l.str(v.get("provider")), Name: l.str(v.get("name"))}
	l.float(v.get("temperature"), 0, 0, 2)
	l.int(v.get("max_tokens"), 1, 1)
	for _, f := range l.fields(v) {
		if f.key != "provider" && f.key != "name" && f.key != "options" {
			setOption(&c, f)
		}
	}
	for _, f := range l.fields(v.get("options")) {
		setOption(&c, f)
	}
	return c
}

func setOption(c *models.Config, f field) {
	if c.Options == nil {
		c.Options = map[string]any{}
	}
	c.Options[f.key] = f.decoded()
}

// prompt reads the system prompt; the schema allows any other field beside it.
func (l *loader) prompt(v value) string {
	for _, f := range l.fields(v) {
		if f.key != "system" && f.key != "persona" {
			l.idle(f.value)
		}
	}
	return paragraphs(l.str(v.get("system")), l.str(v.get("persona")))
}

func paragraphs(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "\n\n")
}
