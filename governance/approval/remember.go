package approval

// Recall returns the yes that was given to an identical call of the same run, if both that request and this one may be
// remembered. The outcome's call is the one that was asked about. The caller needs to ask when there is none.
func (b *Book) Recall(r Request) (Outcome, bool) {
	if !r.memorable() {
		return Outcome{}, false
	}
	o, ok := b.remembered[r.Run][r.Binding]
	return o, ok
}

// Forget drops what was remembered for a run. It has ended, so an answer that still comes for one of its calls is not
// remembered either.
func (b *Book) Forget(run string) {
	delete(b.remembered, run)
	for id, p := range b.pending {
		if p.Run == run {
			p.Remember = false
			b.pending[id] = p
		}
	}
}

func (b *Book) remember(o Outcome) {
	if b.remembered == nil {
		b.remembered = map[string]map[Binding]Outcome{}
	}
	if b.remembered[o.Run] == nil {
		b.remembered[o.Run] = map[Binding]Outcome{}
	}
	o.Arguments = nil // nobody shows them any more, and they may be large
	b.remembered[o.Run][o.Binding] = o
}
