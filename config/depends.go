package config

// checkDependencies reports depends_on entries that name nothing, and notes the rest for checkOrder.
func (l *loader) checkDependencies(items []value) {
	for _, item := range items {
		id := l.idOf(item)
		list := item.get("depends_on")
		for _, entry := range list.items {
			l.checkDependency(entry, id)
			l.order.add(id, wait{on: entry.text, said: list})
		}
	}
}

func (l *loader) idOf(item value) string {
	if id := item.get("id"); id.given() {
		return id.text
	}
	return item.get("name").text
}

func (l *loader) checkDependency(entry value, id string) {
	if entry.kind != text || len(entry.problems) > 0 {
		return // reported already
	}
	server, known := l.ws.Server(entry.text)
	switch {
	case entry.text == id:
		l.fault(entry, "remove it", "server %q depends on itself", id)
	case !known:
		l.fault(entry, didYouMean(entry.raw, l.serverIDs()), "server %s is not declared", entry.quote())
	case server.Disabled:
		l.warn(entry, "", "server %q is disabled: nobody waits for it", server.ID)
	}
}
