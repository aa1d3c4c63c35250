package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// sources says which setting each supported source of secrets needs.
var sources = map[string]string{"env": "env", "file": "path"}

// foreignSources belong to the format and are not supported yet.
var foreignSources = []string{"hashicorp-vault", "aws-secrets-manager", "gcp-secret-manager", "azure-key-vault", "plugin", "oauth"}

var credentialShape = shape{known: "source config", idle: "provider_id identity"}

// credentialUse is one place where a server, or who decides about calls, names a credential.
type credentialUse struct {
	value
	name     string
	disabled bool // the server is
}

// credentials reads all credentials; those of a foreign source wait for checkCredentials.
func (l *loader) credentials(v value) {
	for _, f := range l.fields(v) {
		l.claims["credential "+f.key] = f.value
		if f.kind != mapping {
			l.wrong(f.value, "a mapping")
			continue
		}
		l.check(f.value, credentialShape)
		source := f.get("source")
		if setting, supported := sources[l.str(source)]; supported {
			l.ws.Credentials[f.key] = l.credential(f, setting)
		} else if !source.given() {
			l.fault(source, "use env or file", "missing: credential %q needs a source", f.key)
		} else if source.kind == text && len(source.problems) == 0 && !slices.Contains(foreignSources, source.text) {
			l.fault(source, orElse(didYouMean(source.raw, []string{"env", "file"}), "use env or file"), "source %s is unknown", source.quote())
		}
	}
}

func (l *loader) credential(f field, setting string) Credential {
	config := f.get("config")
	l.check(config, shape{known: setting})
	v := config.get(setting)
	s := l.str(v)
	if (!v.given() || s == "") && (config.kind == mapping || !config.given()) {
		l.fault(v, fmt.Sprintf("write `config: {%s: ...}`", setting), "missing: credential %q of source %s needs it", f.key, f.get("source").text)
	}
	if setting == "path" && !filepath.IsAbs(s) {
		s = filepath.Join(l.root, s)
	}
	return Credential{Name: f.key, Source: f.get("source").text, Config: map[string]string{setting: s}}
}

var credentialTemplate = regexp.MustCompile(`\{credential\.([^{}]+)\}`)

// useCredentials notes which credentials a server names.
func (l *loader) useCredentials(v value, s Server) {
	if ref := v.get("credentials_ref"); ref.kind == text {
		l.use(ref, ref.text, s.Disabled)
	}
	injected := false
	for _, block := range []string{"env", "headers"} {
		for _, f := range v.get(block).fields {
			for _, name := range templatesIn(f.value) {
				l.use(f.value, name, s.Disabled)
				injected = injected || name == s.CredentialsRef
			}
		}
	}
	for _, field := range []string{"command", "args", "cwd", "endpoint", "url"} {
		l.noCredentials(v.get(field))
	}
	if s.Transport == mcpspec.Stdio && s.CredentialsRef != "" && !injected {
		l.warn(v.get("credentials_ref"), "write {credential."+s.CredentialsRef+"} in a value of env",
			"not given to the server: a subprocess gets a credential through env only")
	}
}

// noCredentials finds placeholders where nobody would fill them in: arguments and addresses are seen by other users of
// the machine.
func (l *loader) noCredentials(v value) {
	for _, item := range v.items {
		l.noCredentials(item)
	}
	if credentialTemplate.MatchString(v.text) {
		l.fault(v, "put it into env or headers", "a credential cannot be used here")
	}
}

// templatesIn are the credentials that a value is to be filled in with.
func templatesIn(v value) []string {
	var names []string
	for _, m := range credentialTemplate.FindAllStringSubmatch(v.text, -1) {
		names = append(names, m[1])
	}
	return names
}

func (l *loader) use(v value, name string, disabled bool) {
	if len(v.problems) == 0 {
		l.credUses = append(l.credUses, credentialUse{value: v, name: name, disabled: disabled})
	}
}

// checkCredentials compares what is declared with what servers name.
func (l *loader) checkCredentials() {
	var names []string
	for claim := range l.claims {
		if name, ok := strings.CutPrefix(claim, "credential "); ok {
			names = append(names, name)
		}
	}
	used := map[string]bool{}
	for _, u := range l.credUses {
		used[u.name] = used[u.name] || !u.disabled
		if !slices.Contains(names, u.name) {
			l.fault(u.value, orElse(didYouMean(u.name, names), "add it under credentials in "+l.main),
				"credential %q is not declared", u.name)
		}
	}
	for _, name := range names {
		source := l.claims["credential "+name].get("source")
		switch foreign := slices.Contains(foreignSources, source.text); {
		case foreign && used[name]:
			l.fault(source, "use env or file", "source %s is not supported yet", source.quote())
		case foreign:
			l.warn(source, "", "source %s is not supported yet; no server uses credential %q", source.quote(), name)
		}
	}
}
