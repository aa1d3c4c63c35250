package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// askedFirst is the version that initialize asks for when the workspace names none: the last one that has initialize.
// Servers that speak a newer protocol alone say so, while some that do not exit on its discovery request.
const askedFirst = "2025-11-25"

// JSON-RPC codes of a server that cannot be talked to this way.
const (
	methodNotFound     = -32601
	invalidParams      = -32602
	unsupportedVersion = -32022
)

// clientName is what servers are told about us.
const clientName, clientVersion = "mcp-supervisor", "1"

// agree finds a protocol version with the server; step names what was going on when that failed. A server is discovered
// only on its own word, and on the process that is there: never a second one to probe.
func (s *Session) agree(ctx context.Context) (step string, err error) {
	switch asked := s.server.Protocol; asked {
	case spec.Stateless:
		return "server/discover", s.discover(ctx)
	case "":
		err = s.initialize(ctx, askedFirst)
		if hasOnlyDiscovery(err) && s.discover(ctx) == nil {
			return "", nil
		}
	default:
		err = s.initialize(ctx, asked)
	}
	return "initialize", err
}

// hasOnlyDiscovery reports whether the answer to initialize is that of a server that only knows what replaced it.
func hasOnlyDiscovery(err error) bool {
	var rpc *spec.RPCError
	return errors.As(err, &rpc) && (rpc.Code == methodNotFound || rpc.Code == unsupportedVersion)
}

// initialize makes the SDK shake hands.
func (s *Session) initialize(ctx context.Context, version string) error {
	client := sdk.NewClient(&sdk.Implementation{Name: clientName, Version: clientVersion}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
	})
	client.AddRoots(roots(s.opts.Roots)...)
	session, err := client.Connect(ctx, s.conn, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return s.refused(err, version)
	}
	result := session.InitializeResult()
	s.about = spec.Catalogue{Protocol: result.ProtocolVersion, Instructions: result.Instructions}
	if info := result.ServerInfo; info != nil {
		s.about.Implementation = strings.TrimSpace(info.Name + " " + info.Version)
	}
	return nil
}

// refused finds the server's own reason behind the SDK's error.
func (s *Session) refused(err error, asked string) error {
	if rpc := s.conn.refused.Load(); rpc != nil {
		return explainVersions(rpc, asked)
	}
	if !strings.HasPrefix(err.Error(), "unsupported protocol version") {
		return err
	}
	theirs := "named no protocol version"
	if v := s.protocol.Load(); v != nil && *v != "" {
		theirs = fmt.Sprintf("speaks protocol version %q", *v)
	}
	return noCommonVersion(theirs, asked)
}

// noCommonVersion is the end of a server that speaks no version that we do: it will not learn one by a new start.
func noCommonVersion(theirs, asked string) error {
	return hopeless{fmt.Errorf("the server %s, and was asked for %q; supported are %s", theirs, asked,
		strings.Join(spec.Protocols(), ", "))}
}

// explainVersions adds to a server's refusal of the version which ones it has, if it tells them.
func explainVersions(rpc *spec.RPCError, asked string) error {
	var data struct {
		Supported []string `json:"supported"`
	}
	isAboutVersion := rpc.Code == unsupportedVersion || rpc.Code == invalidParams
	if !isAboutVersion || json.Unmarshal(rpc.Data, &data) != nil || len(data.Supported) == 0 {
		return rpc
	}
	return hopeless{fmt.Errorf("%w: it has %s, and was asked for %q; supported are %s", rpc,
		strings.Join(data.Supported, ", "), asked, strings.Join(spec.Protocols(), ", "))}
}
