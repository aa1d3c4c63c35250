package supervision

// needed starts a child that rests, or goes to rest, and with it what it needs.
func (p *plan) needed(id string) {
	if p.child(id).rests() {
		p.wake(id)
	}
}

// wake lets a child start, and all that has to run with it, as far as they rest.
func (p *plan) wake(id string) {
	for _, each := range append([]string{id}, reach(id, p.needs)...) {
		if rec := p.child(each); rec.rests() {
			p.end(Action{Child: each, Verb: Open, Because: rec.Because})
		}
	}
}

// idle puts a child to rest that nobody needs.
func (p *plan) idle(id string) {
	if p.child(id).Phase == PhaseUp && !p.precedes(id, p.in(Record.runs)) {
		p.end(Action{Child: id, Verb: Rest})
	}
}

// startAsked forgets the past of a child and starts it. One that runs or is to run already is left alone.
func (p *plan) startAsked(id string) {
	switch p.child(id).Phase {
	case PhaseWaiting, PhaseStarting, PhaseUp:
	default:
		p.pardon(id)
		p.end(Action{Child: id, Verb: Open})
		p.wake(id)
	}
}

func (p *plan) restartAsked(id string) {
	switch p.child(id).Phase {
	case PhaseStarting, PhaseUp:
		p.pardon(id)
		p.end(Action{Child: id, Verb: Open})
	default:
		p.startAsked(id)
	}
}

// pardon forgets the past of a child and of its group, so that a hand is not refused for it.
func (p *plan) pardon(id string) {
	p.forget(id)
	if group, ok := p.groupOf(id); ok {
		delete(p.history.groups, group.Name)
	}
}

func (p *plan) forget(id string) {
	rec := p.child(id)
	rec.Restarts, rec.Streak, rec.Failed = nil, 0, false
	p.put(id, rec)
}

// changed gives a child with another spec a new life, unless it is stopped or stops for good.
func (p *plan) changed(id string) {
	switch rec := p.child(id); rec.Phase {
	case PhaseResting, PhaseHeld, PhaseWaiting:
	case PhaseClosing:
		if rec.then == Rest || rec.then == Hold {
			return
		}
		fallthrough
	default:
		p.forget(id)
		p.end(Action{Child: id, Verb: Open})
	}
}
