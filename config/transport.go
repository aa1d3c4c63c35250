package config

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// spellings of transports that are in use, lower-case and without separators.
var spellings = map[string]mcpspec.Transport{
	"stdio":          mcpspec.Stdio,
	"http":           mcpspec.HTTP,
	"streamablehttp": mcpspec.HTTP,
	"sse":            mcpspec.SSE,
}

// transport reads how the server is reached, or finds it out: a command means stdio, an endpoint http. It is "" when
// that cannot be said, and then there was a fault.
func (l *loader) transport(v, command, endpoint value, id string) mcpspec.Transport {
	asked := l.first(v, "transport", "type")
	spelled := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(l.str(asked)))
	t, known := spellings[spelled]
	switch {
	case command.given() && endpoint.given():
		l.fault(endpoint, "keep one of them", "server %q has both a command and an endpoint", id)
	case asked.kind == text && !known:
		if len(asked.problems) == 0 {
			l.fault(asked, didYouMean(asked.raw, []string{"stdio", "http", "sse"}), "%s is not one of stdio, http, sse", asked.quote())
		}
	case !command.given() && !endpoint.given():
		l.fault(v, "add a command, for a subprocess, or an endpoint, for a URL", "server %q has neither a command nor an endpoint", id)
	case known && (t == mcpspec.Stdio) != command.given():
		l.fault(asked, "stdio needs a command, http and sse an endpoint", "server %q: transport %s does not fit", id, t)
	case known:
		return t
	default:
		return guess(endpoint)
	}
	return ""
}

func guess(endpoint value) mcpspec.Transport {
	if !endpoint.given() {
		return mcpspec.Stdio
	}
	if u, err := url.Parse(endpoint.text); err == nil && strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/sse") {
		return mcpspec.SSE
	}
	return mcpspec.HTTP
}

// endpoint reads the URL of an MCP server.
func (l *loader) endpoint(v value) string {
	return l.url(v, "an MCP server", "http://localhost:8080/mcp")
}

// url reads a URL that can be sent a request.
func (l *loader) url(v value, of, example string) string {
	endpoint := l.str(v)
	if v.unset() || v.kind != text {
		return endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		l.fault(v, "write it like "+strconv.Quote(example), "%s is not the URL of %s", v.quote(), of)
	}
	return endpoint
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func (l *loader) headers(v value) map[string]string {
	headers := l.wordMap(v)
	for _, f := range v.fields {
		switch {
		case !headerName.MatchString(f.key):
			l.fault(f.value, "", "%q cannot be the name of a header", f.key)
		case strings.ContainsAny(f.text, "\r\n"):
			l.fault(f.value, "", "a header is one line")
		}
	}
	return headers
}
