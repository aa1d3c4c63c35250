package supervision

// charge takes one restart of the group's budget; it reports false, and takes none, when nothing is left. A child
// without a group has its own budget only.
func (p *plan) charge(id string) bool {
	group, ok := p.groupOf(id)
	if !ok {
		return true
	}
	used := recent(p.history.groups[group.Name], p.now.Add(-group.Within))
	if len(used) >= group.MaxRestarts {
		return false
	}
	p.history.groups[group.Name] = append(used, p.now)
	return true
}

// takeAlong restarts the others of the group after a member that restarts. They are bystanders: nothing is charged to
// them. One that is temporary is not started again, as ever.
func (p *plan) takeAlong(id string) {
	for _, other := range p.scope(id) {
		switch p.child(other).Phase {
		case PhaseStarting, PhaseUp:
			p.end(Action{Child: other, Verb: p.afterClose(other, Open), Because: id})
		case PhaseDelayed:
			p.conclude(Action{Child: other, Verb: Open})
		default:
		}
	}
}

// takeDown gives the others of the group up after a member that failed, as far as they run or are to run: they come
// back with it.
func (p *plan) takeDown(id string) {
	for _, other := range p.scope(id) {
		switch rec := p.child(other); rec.Phase {
		case PhaseStarting, PhaseUp:
			p.end(Action{Child: other, Verb: p.afterClose(other, Fail), Because: id})
		case PhaseWaiting, PhaseDelayed:
			p.conclude(Action{Child: other, Verb: Fail, Because: id})
		case PhaseClosing:
			if rec.then == Open {
				p.follow(Action{Child: other, Verb: Fail, Because: id})
			}
		default:
		}
	}
}

// afterClose is what follows for a bystander.
func (p *plan) afterClose(id string, verb Verb) Verb {
	if p.spec(id).Restart.Mode == Temporary {
		return Rest
	}
	return verb
}
