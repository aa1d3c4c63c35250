package config

var (
	topologyShape = shape{
		known: "apiVersion kind metadata agents",
		idle:  "runtime{} artifacts{} intent_monitoring{} governance{}",
	}
	topologyMetaShape = shape{known: "name version description", pedantic: "version"}
	agentsShape       = shape{known: "root"}
)

func (l *loader) readTopology(top value) {
	l.check(top, topologyShape)
	metadata := top.get("metadata")
	l.check(metadata, topologyMetaShape)
	l.str(metadata.get("version"))
	l.str(metadata.get("description"))
	agents := top.get("agents")
	l.check(agents, agentsShape)
	t := Topology{
		Name: l.id(metadata.get("name"), "topology"),
		File: top.doc.file,
		Root: l.agent(agents.get("root"), true, map[string]value{}),
	}
	if t.Name != "" && l.claim(metadata.get("name"), "topology", t.Name) {
		l.ws.Topologies[t.Name] = t
	}
}
