package actors

import "slices"

// queue is the calls that wait for a server. It is fair between agents: they take turns, so that one that makes many
// calls does not keep the others waiting, and each agent's own calls stay in the order they came.
type queue struct {
	lines map[string][]*heldCall // by agent, in the order the calls came
	turns []string               // agents that have a line; the first is next
	size  int
}

func newQueue() *queue { return &queue{lines: map[string][]*heldCall{}} }

// add puts a call behind those of its agent that came before it: mostly at the end, but a call that goes back to the
// queue gets its old place.
func (q *queue) add(h *heldCall) {
	line := q.lines[h.agent()]
	if len(line) == 0 {
		q.turns = append(q.turns, h.agent())
	}
	at := len(line)
	for at > 0 && line[at-1].number > h.number {
		at--
	}
	q.lines[h.agent()] = slices.Insert(line, at, h)
	q.size++
}

// next takes out the next call, or returns nil.
func (q *queue) next() *heldCall {
	if q.size == 0 {
		return nil
	}
	agent := q.turns[0]
	h := q.lines[agent][0]
	q.remove(h)
	if len(q.lines[agent]) > 0 {
		q.turns = append(q.turns[1:], agent)
	}
	return h
}

// remove takes a call out, wherever it stands, and reports whether it was there.
func (q *queue) remove(h *heldCall) bool {
	agent := h.agent()
	at := slices.Index(q.lines[agent], h)
	if at < 0 {
		return false
	}
	q.lines[agent] = slices.Delete(q.lines[agent], at, at+1)
	q.size--
	if len(q.lines[agent]) == 0 {
		delete(q.lines, agent)
		q.turns = slices.DeleteFunc(q.turns, func(a string) bool { return a == agent })
	}
	return true
}

// displace makes room for a call of an agent in a full queue: the newest call of the agent with the most goes, if that
// agent has at least two more than the one that asks. It returns the call that went, or nil: then there is no room.
func (q *queue) displace(agent string) *heldCall {
	var most string
	for a, line := range q.lines {
		if len(line) > len(q.lines[most]) || len(line) == len(q.lines[most]) && a < most {
			most = a
		}
	}
	if len(q.lines[most]) < len(q.lines[agent])+2 {
		return nil
	}
	line := q.lines[most]
	newest := line[len(line)-1]
	q.remove(newest)
	return newest
}

// pick takes out the calls that are wanted, in the order they came.
func (q *queue) pick(wanted func(*heldCall) bool) []*heldCall {
	var list []*heldCall
	for _, line := range q.lines {
		for _, h := range line {
			if wanted(h) {
				list = append(list, h)
			}
		}
	}
	slices.SortFunc(list, func(a, b *heldCall) int { return a.number - b.number })
	for _, h := range list {
		q.remove(h)
	}
	return list
}

// all takes out everything, in the order the calls came.
func (q *queue) all() []*heldCall {
	return q.pick(func(*heldCall) bool { return true })
}

// agent is who a call is queued for: agents of two topologies, or of two client sessions, are two.
func (h *heldCall) agent() string {
	return h.call.Topology + "\x00" + h.call.Agent + "\x00" + h.call.Session
}
