package supervision

import (
	"cmp"
	"slices"
)

// descend closes what is to be closed, dependents first: a child goes once nobody that closes comes after it.
func (p *plan) descend() {
	closing := p.in(Record.closing)
	for _, id := range closing {
		rec := p.child(id)
		if rec.told || p.precedes(id, closing) {
			continue
		}
		rec.told = true
		p.put(id, rec)
		p.emit(Action{Child: id, Verb: Close, Because: rec.Because})
	}
}

// ascend opens what may be opened, and says of the rest what it waits for. Who waits longest comes first; those that
// wait since the same event come in the order of their declaration.
func (p *plan) ascend() {
	places := p.places()
	for _, id := range p.line() {
		blocker := p.blocker(id)
		local := p.spec(id).Local
		switch {
		case blocker != "":
			p.await(id, blocker)
		case local && places == 0:
			p.await(id, "")
		default:
			if local {
				places--
			}
			p.become(id, PhaseStarting, "")
			p.emit(Action{Child: id, Verb: Open})
		}
	}
}

// line returns the children that wait, as they are to be served.
func (p *plan) line() []string {
	ids := p.in(func(r Record) bool { return r.Phase == PhaseWaiting })
	ids = slices.DeleteFunc(ids, func(id string) bool { return !p.declared(id) })
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(p.child(a).turn, p.child(b).turn) })
	return ids
}

// places returns how many local starts may begin; it is negative where there is no bound.
func (p *plan) places() int {
	if p.specs.MaxStarts <= 0 {
		return -1
	}
	taken := 0
	for id, rec := range p.history.children {
		if rec.Phase == PhaseStarting && !rec.slow && p.spec(id).Local {
			taken++
		}
	}
	return max(0, p.specs.MaxStarts-taken)
}

// blocker returns whom the child has to wait for, the nearest first, or "": a prerequisite that is on its way up, or a
// member of its group on its way down. One that rests, failed or is held blocks nobody.
func (p *plan) blocker(id string) string {
	for _, other := range reach(id, p.before) {
		if p.child(other).comes() {
			return other
		}
	}
	_, members := p.team(id)
	for _, member := range members {
		if p.child(member).closing() {
			return member
		}
	}
	return ""
}

// await says once per reason what a child waits for: another child, or a place when because is empty.
func (p *plan) await(id, because string) {
	rec := p.child(id)
	if rec.told && rec.Because == because {
		return
	}
	rec.told, rec.Because = true, because
	p.put(id, rec)
	p.emit(Action{Child: id, Verb: Await, Because: because})
}

// precedes reports whether the child is a prerequisite of one of the others.
func (p *plan) precedes(id string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool {
		return other != id && slices.Contains(reach(other, p.before), id)
	})
}

// compare orders children by their declaration; those that are declared no more come last.
func (p *plan) compare(a, b string) int {
	place := func(id string) int {
		if at, ok := p.at[id]; ok {
			return at
		}
		return len(p.at)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}
