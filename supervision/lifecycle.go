package supervision

// become puts a child into a phase, with nothing left of the one before.
func (p *plan) become(id string, phase Phase, because string) {
	rec := p.child(id)
	rec.Phase, rec.Because, rec.Why = phase, because, ""
	rec.then, rec.told, rec.slow, rec.turn = None, false, false, 0
	if phase == PhaseWaiting {
		rec.turn = p.history.events
	}
	p.put(id, rec)
}

// conclude puts a child that has no incarnation where the action says. To open is to wait for its turn first: ascend
// says Open or Await.
func (p *plan) conclude(a Action) {
	switch a.Verb {
	case Open:
		p.become(a.Child, PhaseWaiting, "")
		return
	case Wait:
		p.become(a.Child, PhaseDelayed, "")
	case Hold:
		p.become(a.Child, PhaseHeld, "")
	case Fail:
		p.become(a.Child, PhaseFailed, a.Because)
	case Drop:
		delete(p.history.children, a.Child)
	default:
		p.become(a.Child, PhaseResting, "")
	}
	p.emit(a)
	if a.Verb == Rest || a.Verb == Drop {
		p.release(a.Child)
	}
}

// end brings a child where the action says: now, or once its incarnation is gone.
func (p *plan) end(a Action) {
	switch p.child(a.Child).Phase {
	case PhaseStarting, PhaseUp:
		p.become(a.Child, PhaseClosing, a.Because)
		p.follow(a)
		p.explain(a.Child)
	case PhaseClosing:
		p.follow(a)
	default:
		p.conclude(a)
	}
}

// follow notes what is to become of a closing child.
func (p *plan) follow(a Action) {
	rec := p.child(a.Child)
	rec.then, rec.Because = a.Verb, a.Because
	p.put(a.Child, rec)
}

// explain notes why a child is closed.
func (p *plan) explain(id string) {
	rec := p.child(id)
	rec.Why = p.event.Kind
	p.put(id, rec)
}

func (p *plan) up() {
	id := p.event.Child
	if p.child(id).Phase != PhaseStarting {
		return
	}
	_, rec := p.spec(id).Restart.Next(p.child(id), p.event, p.now, p.random)
	p.put(id, rec)
	p.become(id, PhaseUp, "")
	p.release(id)
}

// release lets those start that were given up because of a child, now that this one is up, or is no failure any more.
func (p *plan) release(id string) {
	for _, other := range p.in(func(r Record) bool { return r.Because == id }) {
		switch rec := p.child(other); {
		case rec.Phase == PhaseFailed:
			p.conclude(Action{Child: other, Verb: Open})
		case rec.Phase == PhaseClosing && rec.then == Fail:
			p.follow(Action{Child: other, Verb: Open, Because: id})
		}
	}
}

func (p *plan) ended() {
	id := p.event.Child
	rec := p.child(id)
	switch rec.Phase {
	case PhaseClosing: // nobody is charged for an end that we asked for
		p.put(id, p.spec(id).Restart.settle(rec, p.now))
		a := Action{Child: id, Verb: rec.then}
		if rec.then == Fail {
			a.Because = rec.Because
		}
		p.conclude(a)
	case PhaseStarting, PhaseUp:
		p.died(rec)
	default:
	}
}

// died asks the child's own rule, and then sees to its group.
func (p *plan) died(rec Record) {
	id := p.event.Child
	if !p.declared(id) {
		p.conclude(Action{Child: id, Verb: Drop})
		return
	}
	rule := p.spec(id).Restart
	verdict, next := rule.Next(rec, p.event, p.now, p.random)
	if verdict.Restarts() && !p.charge(id) {
		verdict, next = rule.giveUp(rule.settle(rec, p.now))
	}
	p.charged = verdict.Restarts()
	p.put(id, next)
	p.conclude(Action{Child: id, Verb: verdict.Verb, Delay: verdict.Delay})
	switch {
	case verdict.Restarts():
		p.takeAlong(id)
	case verdict.Verb == Fail:
		p.takeDown(id)
	}
}

func (p *plan) due(id string) {
	rec := p.child(id)
	if rec.Phase == PhaseDelayed || rec.Phase == PhaseFailed && rec.Because == "" {
		p.conclude(Action{Child: id, Verb: Open})
	}
}

func (p *plan) slow(id string) {
	rec := p.child(id)
	rec.slow = rec.Phase == PhaseStarting
	p.put(id, rec)
}
