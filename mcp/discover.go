package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// ourMeta is what every request carries in the stateless protocol, in place of what initialize said once.
var ourMeta = fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,`+
	`"io.modelcontextprotocol/clientCapabilities":{"roots":{}},`+
	`"io.modelcontextprotocol/clientInfo":{"name":%q,"version":%q}`, spec.Stateless, clientName, clientVersion)

// ownKeys are the keys of ourMeta, which no caller may set.
var ownKeys = []string{
	"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities",
	"io.modelcontextprotocol/clientInfo",
}

// stateless reports whether the session speaks the protocol that has no initialize.
func (s *Session) stateless() bool {
	version := s.protocol.Load()
	return version != nil && *version == spec.Stateless
}

// discover asks for what initialize told before. The SDK has no part in such a session: the server asks nothing on its
// own there.
func (s *Session) discover(ctx context.Context) error {
	version := spec.Stateless
	s.protocol.Store(&version)
	_ = s.conn.Close()
	r := s.request(ctx, "server/discover", nil)
	switch {
	case r.RPC != nil && r.RPC.Code == methodNotFound:
		return hopeless{fmt.Errorf("the server knows no server/discover, which protocol version %s has: %w", version, r.RPC)}
	case r.RPC != nil:
		return explainVersions(r.RPC, version)
	case r.Err != nil:
		return r.Err
	}
	var found discovery
	if err := json.Unmarshal(r.Result, &found); err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	if !slices.Contains(found.Versions, version) {
		return noCommonVersion(fmt.Sprintf("speaks protocol versions %q", found.Versions), version)
	}
	s.about = found.catalogue()
	if found.Capabilities.Tools.ListChanged {
		s.subscribe()
	}
	return nil
}

// discovery is the result of server/discover, as far as we read it.
type discovery struct {
	Versions     []string `json:"supportedVersions"`
	Instructions string   `json:"instructions"`
	Capabilities struct {
		Tools struct {
			ListChanged bool `json:"listChanged"`
		} `json:"tools"`
	} `json:"capabilities"`
	Meta struct {
		Server struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

func (d discovery) catalogue() spec.Catalogue {
	return spec.Catalogue{
		Protocol: spec.Stateless, Instructions: d.Instructions,
		Implementation: strings.TrimSpace(d.Meta.Server.Name + " " + d.Meta.Server.Version),
	}
}

// subscribe asks to be told of changed tools. The request is open as long as the subscription.
func (s *Session) subscribe() {
	s.start("subscriptions/listen", withMeta([]byte(`{"notifications":{"toolsListChanged":true}}`)), "", func(r spec.Reply) {
		if r.RPC != nil {
			s.warn("changes of the tools will not be noticed: subscriptions/listen: " + r.RPC.Error())
		}
	})
}

// withMeta adds our _meta to params, which is an object without one, or nil.
func withMeta(params []byte) []byte {
	rest := bytes.TrimSpace(bytes.TrimPrefix(params, []byte{'{'}))
	if len(rest) == 0 {
		rest = []byte{'}'}
	}
	b := append([]byte(`{"_meta":{`+ourMeta+`}`), ',')
	if rest[0] == '}' {
		b = b[:len(b)-1]
	}
	return append(b, rest...)
}

// mergeMeta adds our _meta to a caller's, which is an object or nil.
func mergeMeta(callers []byte) json.RawMessage {
	b := []byte("{" + ourMeta)
	members(callers, func(key, value []byte) {
		if !slices.Contains(ownKeys, text(quoted(key))) {
			b = append(append(append(append(b, ','), quoted(key)...), ':'), value...)
		}
	})
	return append(b, '}')
}

// quoted puts the quotes of a raw key back.
func quoted(key []byte) []byte { return append(append([]byte{'"'}, key...), '"') }

// answer answers a request of the server's in a session without the SDK. The protocol has none any more; ping is
// answered all the same, because that is how older servers look for a sign of life.
func (s *Session) answer(e envelope) bool {
	rest := fmt.Sprintf(`"error":{"code":%d,"message":"the client has no such method"}}`, methodNotFound)
	if text(e.method) == "ping" {
		rest = `"result":{}}`
	}
	frame := append(append([]byte(`{"jsonrpc":"2.0","id":`), oneLine(e.id)...), ","+rest...)
	_ = s.link.write(context.Background(), frame, aResponse)
	return true
}
