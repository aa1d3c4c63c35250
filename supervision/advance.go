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
	p.known = map[string]string{}
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
	if other := p.coming(id); other != "" {
		return other
	}
	_, members := p.team(id)
	for _, member := range members {
		if p.child(member).closing() {
			return member
		}
	}
	return ""
}

// coming returns a prerequisite of the child that is on its way up, a direct one if there is one. While children are
// opened the answers stay true, so that each is found once.
func (p *plan) coming(id string) string {
	if found, ok := p.known[id]; ok {
		return found
	}
	p.known[id] = "" // for specs with a circle
	direct := p.before(id)
	if at := slices.IndexFunc(direct, func(other string) bool { return p.child(other).comes() }); at >= 0 {
		p.known[id] = direct[at]
		return direct[at]
	}
	for _, other := range direct {
		if found := p.coming(other); found != "" {
			p.known[id] = found
			break
		}
	}
	return p.known[id]
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
	known := map[string]bool{}
	var follows func(string) bool
	follows = func(other string) bool {
		if _, ok := known[other]; !ok {
			known[other] = false // for specs with a circle
			direct := p.before(other)
			known[other] = slices.Contains(direct, id) || slices.ContainsFunc(direct, follows)
		}
		return known[other]
	}
	return slices.ContainsFunc(others, follows)
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
