package config

var (
	workspaceShape = shape{
		known: "apiVersion kind metadata governance identity credentials mcp_servers supervision",
		idle: "organisation{} team{} model_providers[] storage{} context_compression{} planning{} synthesis{} server{} " +
			"command_packs[] events[] memory{} authoring{} gates{}",
	}
	metadataShape = shape{known: "id name description annotations", pedantic: "name"}
	identityShape = shape{known: "provider", idle: "config{}"}
)

// workspace reads the main file, but for what depends on the others. It reports whether it is a file of this kind: the
// fields of another one mean something else.
func (l *loader) workspace(top value) bool {
	if !l.header(top, "Workspace") && top.get("kind").kind == text {
		return false
	}
	l.check(top, workspaceShape)
	metadata := top.get("metadata")
	l.check(metadata, metadataShape)
	l.ws.ID = l.id(metadata.get("id"), "workspace")
	if l.ws.Name = l.str(metadata.get("name")); l.ws.Name == "" {
		l.ws.Name = l.ws.ID
	}
	l.str(metadata.get("description"))
	l.fields(metadata.get("annotations"))
	l.identity(top.get("identity"))
	l.credentials(top.get("credentials"))
	l.governance(top.get("governance"))
	l.servers(top.get("mcp_servers"))
	l.supervision(top.get("supervision"))
	l.unresolvedIn(top)
	return true
}

// identity reads who vouches for callers; only our own way is run.
func (l *loader) identity(v value) {
	l.check(v, identityShape)
	provider := v.get("provider")
	switch oneOf(&l.report, provider, "builtin", "builtin", "mock", "auth0", "okta", "google", "azure-ad", "oidc") {
	case "builtin", "mock":
	default:
		l.idle(provider)
	}
}

// unresolvedIn reports the main file's placeholders that have no value.
func (l *loader) unresolvedIn(top value) {
	for _, f := range top.fields {
		switch f.key {
		case "mcp_servers":
			l.unresolvedServers(f.value)
		case "credentials":
			for _, c := range f.fields {
				l.unresolved(c.value, "credential \""+c.key+"\"")
			}
		case "supervision":
			l.unresolved(f.value, f.key)
		case "governance":
			l.unresolvedGovernance(f.value)
		default:
			l.unresolved(f.value, "")
		}
	}
}

func (l *loader) unresolvedServers(v value) {
	for _, item := range v.items {
		name := item.get("id")
		if !name.given() {
			name = item.get("name")
		}
		l.unresolved(item, "server "+name.quote())
	}
}
