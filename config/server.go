package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

var serverShape = shape{
	known: "id name description transport type command args env cwd endpoint url serverUrl httpUrl headers tls tools prefix " +
		"timeout enabled disabled credentials_ref permission permission_overrides effects sandboxed restart " +
		"start_timeout stop_grace health max_in_flight queue on_down depends_on significant max_message protocol " +
		"start idle_stop catalog_when_down retry tags",
	idle: "sandbox_image",
}

// maxServers is more than one machine can run, and bounds what is compared with each other.
const maxServers = 1000

// serverID is wider than the format's own ids: names like brave_search load too.
var serverID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// servers reads all servers, then what they say about each other.
func (l *loader) servers(v value) {
	items := l.list(v)
	if len(items) > maxServers {
		l.fault(v, "", "%d servers: a workspace may have %d", len(items), maxServers)
		return
	}
	for _, item := range items {
		if item.kind != mapping {
			l.wrong(item, "a mapping")
			continue
		}
		l.ws.Servers = append(l.ws.Servers, l.server(item))
	}
	l.checkDependencies(items)
}

func (l *loader) server(v value) Server {
	l.check(v, serverShape)
	s := Server{
		Server:          l.reach(v),
		Prefix:          l.str(v.get("prefix")),
		Disabled:        l.disabled(v),
		Timeout:         l.duration(v.get("timeout"), mcpspec.DefaultTimeout, 1),
		CredentialsRef:  l.str(v.get("credentials_ref")),
		Restart:         l.restart(v.get("restart")),
		Health:          l.health(v.get("health")),
		MaxInFlight:     l.int(v.get("max_in_flight"), DefaultMaxInFlight, 1),
		Queue:           l.queue(v.get("queue")),
		Start:           oneOf(&l.report, v.get("start"), StartEager, StartEager, StartLazy),
		IdleStop:        l.duration(v.get("idle_stop"), 0, 0),
		OnDown:          oneOf(&l.report, v.get("on_down"), OnDownQueue, OnDownQueue, OnDownFail),
		CatalogWhenDown: oneOf(&l.report, v.get("catalog_when_down"), CatalogKeep, CatalogKeep, CatalogHide),
		Retry:           oneOf(&l.report, v.get("retry"), RetryNever, RetryNever, RetryReadOnly, RetryIdempotent),
		DependsOn:       l.strs(v.get("depends_on")),
		Significant:     l.bool(v.get("significant"), false),
	}
	if serverID.MatchString(s.ID) {
		l.serverAt[v.path] = s.ID
	}
	s.Rules = l.rules(v, s.ID)
	l.str(v.get("description"))
	l.refuseSandbox(v.get("sandboxed"), s.ID)
	l.useCredentials(v, s)
	l.warnOfOwnFiles(v, s)
	return s
}

// reach reads how the server is reached. Values that do not fit the transport are faults, or warned of where they do
// no harm.
func (l *loader) reach(v value) mcpspec.Server {
	s := mcpspec.Server{
		ID:           l.serverID(v),
		StartTimeout: l.duration(v.get("start_timeout"), mcpspec.DefaultStartTimeout, 1),
		StopGrace:    l.duration(v.get("stop_grace"), mcpspec.DefaultStopGrace, 0),
		MaxMessage:   l.size(v.get("max_message"), mcpspec.DefaultMaxMessage),
		Protocol:     l.protocol(v.get("protocol")),
	}
	command, endpoint := v.get("command"), l.first(v, "endpoint", "url", "serverUrl", "httpUrl")
	s.Transport = l.transport(v, command, endpoint, s.ID)
	cwd, env, headers := l.cwd(v.get("cwd")), l.environ(v.get("env")), l.headers(v.get("headers"))
	switch s.Transport {
	case mcpspec.Stdio:
		s.Cwd, s.Env = cwd, env
		s.Command = l.command(command, v.get("args"), cwd)
		l.noEffect(v, s.Transport, "headers", "tls")
	case mcpspec.HTTP, mcpspec.SSE:
		s.Endpoint, s.Headers, s.TLS = l.endpoint(endpoint), headers, l.tls(v.get("tls"), endpoint)
		l.noEffect(v, s.Transport, "args", "env", "cwd")
	}
	return s
}

// protocol reads an MCP version; auto, the default, is no version.
func (l *loader) protocol(v value) string {
	const auto = "auto"
	version := oneOf(&l.report, v, auto, append([]string{auto}, mcpspec.Protocols()...)...)
	if version == auto {
		return ""
	}
	return version
}

// serverID reads the id, or the name that takes its place. Ids that differ in case or punctuation only are refused:
// they would share the names of tools, scopes and files.
func (l *loader) serverID(v value) string {
	field := l.first(v, "id", "name")
	id := l.str(field)
	switch {
	case !field.given():
		l.fault(field, "", "missing: it names the server")
	case field.kind != text || len(field.problems) > 0:
	case !serverID.MatchString(id):
		l.fault(field, "", "%s is not a server id: expected letters, digits and any of _ . -, starting with a letter or digit",
			field.quote())
	default:
		l.claimServer(field, id)
	}
	return id
}

func (l *loader) claimServer(v value, id string) {
	key := "server " + sanitised(id)
	first, taken := l.claims[key]
	switch {
	case !taken:
		l.claims[key] = v
	case first.text == id:
		l.fault(v, "", "server %q is declared twice, on lines %d and %d", id, first.line, v.line)
	default:
		l.fault(v, "", "servers %q (line %d) and %q (line %d) differ only in case or punctuation",
			first.text, first.line, id, v.line)
	}
}

// sanitised is what is left of an id in names where only letters, digits and one kind of separator may stand.
func sanitised(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' {
			return '-'
		}
		return r
	}, strings.ToLower(id))
}

// first returns the one of several spellings of a field that is given; two that say different things are a fault.
func (l *loader) first(v value, names ...string) value {
	var found value
	for _, name := range names {
		switch f := v.get(name); {
		case !f.given():
		case !found.given():
			found = f
		case name != "name" || f.text != found.text:
			l.fault(f, "keep one of them", "given beside %s, which means the same", found.path[strings.LastIndex(found.path, ".")+1:])
		}
	}
	if !found.given() {
		return v.get(names[0])
	}
	return found
}

// noEffect warns of settings that another transport has.
func (l *loader) noEffect(v value, transport mcpspec.Transport, names ...string) {
	for _, name := range names {
		if f := v.get(name); f.given() {
			l.warn(f, "", "has no effect on a server that is reached over %s", transport)
		}
	}
}

// disabled reads both ways to say it.
func (l *loader) disabled(v value) bool {
	enabled, disabled := v.get("enabled"), v.get("disabled")
	on := l.bool(enabled, true)
	off := l.bool(disabled, false)
	if enabled.given() && disabled.given() && on == off {
		l.fault(disabled, "keep one of them", "contradicts enabled on line %d", enabled.line)
	}
	return off || !on
}

func (l *loader) refuseSandbox(v value, id string) {
	if l.bool(v, false) {
		l.fault(v, "run the server without it only if you trust the server: sandboxed: false",
			"not supported yet: sandboxed servers; server %q asks for a sandbox and is never run unsandboxed", id)
	}
}

// rules reads the gate's view of the server.
func (l *loader) rules(v value, id string) gov.Server {
	tiers := []gov.Tier{gov.Open, gov.Cautious, gov.Readonly, gov.Strict}
	if tools := v.get("tools"); tools.kind == list && len(tools.items) == 0 {
		l.warn(tools, "name the tools, or write `disabled: true`", "is empty, which exposes all tools, as in a workspace that leaves it out")
	}
	return gov.Server{
		ID:        id,
		Tools:     l.strs(v.get("tools")),
		Tier:      oneOf(&l.report, v.get("permission"), gov.Cautious, tiers...),
		Overrides: oneOfMap(&l.report, v.get("permission_overrides"), tiers...),
		Effects:   oneOfMap(&l.report, v.get("effects"), gov.Read, gov.Write),
		Tags:      l.strs(v.get("tags")),
	}
}

// cwd is absolute; the default is the workspace's folder, so that scripts beside workspace.yaml are found.
func (l *loader) cwd(v value) string {
	dir := l.str(v)
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(l.root, dir)
}

func (l *loader) environ(v value) map[string]string {
	env := l.wordMap(v)
	for _, f := range v.fields {
		if f.key == "" || strings.ContainsAny(f.key, "=\x00") {
			l.fault(f.value, "", "%q cannot be the name of an environment variable", f.key)
		}
	}
	return env
}

// serverIDs are the ids of all declared servers.
func (l *loader) serverIDs() []string {
	var ids []string
	for _, s := range l.ws.Servers {
		ids = append(ids, s.ID)
	}
	return slices.Compact(ids)
}
