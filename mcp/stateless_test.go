//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// stateless sees to a request as a server of protocol 2026-07-28 does and reports whether it was one to refuse or to
// answer that way.
func (f *fake) stateless(m message) bool {
	var version string
	_ = json.Unmarshal(m.Params.Meta["io.modelcontextprotocol/protocolVersion"], &version)
	switch {
	case m.Method == "initialize" && f.is("unsupported-version"):
		f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"too old","data":{"supported":["2026-07-28"]}}}`, m.ID)
	case m.Method == "initialize":
		f.fail(m.ID, -32601, "unknown")
	case m.Method == "":
		return false
	case version != "2026-07-28" || m.Params.Meta["io.modelcontextprotocol/clientCapabilities"] == nil ||
		m.Params.Meta["io.modelcontextprotocol/clientInfo"] == nil:
		f.fail(m.ID, -32602, "missing or invalid _meta")
	case m.Method == "server/discover" && f.is("future"):
		f.result(m.ID, `{"supportedVersions":["2099-01-01"],"capabilities":{}}`)
	case m.Method == "server/discover":
		f.result(m.ID, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},`+
			`"instructions":"be quick","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`)
	case m.Method == "ping":
		f.fail(m.ID, -32601, "gone")
	case m.Method == "subscriptions/listen":
		f.line(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true}}}`)
		f.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case m.Method == "tools/call":
		return f.asks(m)
	default:
		return false
	}
	return true
}

// asks answers calls of the tools that need something from the client, and only those.
func (f *fake) asks(m message) bool {
	switch tool := m.Params.Name; {
	case strings.HasPrefix(tool, "forever "), m.Params.Inputs == nil && strings.HasPrefix(tool, "asks "):
		_, method, _ := strings.Cut(tool, " ")
		f.result(m.ID, fmt.Sprintf(`{"resultType":"input_required","inputRequests":{"q\"1":{"method":%q,"params":{}}},"requestState":"s 1"}`, method))
	case m.Params.Inputs != nil:
		f.result(m.ID, fmt.Sprintf(`{"resultType":"complete","content":[],"got":%s,"state":%q}`, m.Params.Inputs, m.Params.State))
	default:
		return false
	}
	return true
}

// serveSDK serves with the SDK's own server, which speaks all protocols.
func serveSDK() int {
	server := sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	server.AddTool(&sdk.Tool{Name: "echo", InputSchema: schema}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	server.AddTool(&sdk.Tool{Name: "asks", InputSchema: schema}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, ok := r.Params.InputResponses["sure"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"sure": &sdk.ElicitParams{Message: "sure?"}}, RequestState: "st"}, nil
		}
		text := answer.Action + " " + r.Params.RequestState
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	if err := server.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// callTool calls a tool and waits.
func callTool(t testing.TB, s *Session, req spec.CallRequest) spec.Reply {
	t.Helper()
	end := make(chan spec.Reply, 1)
	s.Call(req, func(r spec.Reply) { end <- r })
	return wait(t, end)
}

func TestServersWithoutInitialize(t *testing.T) {
	for _, modes := range []string{"stateless", "stateless,unsupported-version"} {
		t.Run(modes, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			var n notes
			s := openFake(t, fakeServer(t, modes, "FAKE_LOG="+log), &n)
			if c := s.Catalogue(); c.Protocol != "2026-07-28" || c.Implementation != "new 2" || c.Instructions != "be quick" || len(c.Tools) != 2 {
				t.Errorf("%+v", c)
			}
			wantEcho(t, s, `{"a":1}`)
			if err := s.Ping(t.Context()); err != nil {
				t.Error("ping:", err)
			}
			eventually(t, "changed tools are told", func() bool { n.mu.Lock(); defer n.mu.Unlock(); return n.changed > 0 })
			if first, _, _ := strings.Cut(read(log), "\n"); !strings.Contains(first, `"method":"initialize"`) {
				t.Errorf("the first message was %s", first)
			}
			if strings.Contains(read(log), "notifications/initialized") {
				t.Error("a server without initialize was told of the handshake's end")
			}
		})
	}
}

func TestInputRequired(t *testing.T) {
	n := &notes{}
	o := n.options()
	o.Roots = []string{"/tmp/x"}
	s, err := Open(t.Context(), fakeServer(t, "stateless"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for tool, want := range map[string]string{
		"asks roots/list":             `"got":{"q\"1":{"roots":[{"name":"x","uri":"file:///tmp/x"}]}},"state":"s 1"`,
		"asks elicitation/create":     `"got":{"q\"1":{"action":"decline"}},"state":"s 1"`,
		"asks sampling/createMessage": `the tool asks its client for sampling/createMessage, which is not offered here"}],"isError":true`,
		"forever elicitation/create":  `the tool asked its client for input 10 times"}],"isError":true`,
	} {
		if r := callTool(t, s, spec.CallRequest{Tool: tool}); !strings.Contains(string(r.Result), want) {
			t.Errorf("%s: %s %v, want %s in it", tool, r.Result, r.Err, want)
		}
	}
}

// A caller's _meta goes along, but cannot speak for us.
func TestMetaIsMerged(t *testing.T) {
	meta := json.RawMessage(`{"progressToken":7,"io.modelcontextprotocol\u002fprotocolVersion":"1999","x":[1]}`)
	want := "{" + ourMeta + `,"progressToken":7,"x":[1]}`
	if got := mergeMeta(meta); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for params, want := range map[string]string{"": "}", "{}": "}", `{"cursor":"1"}`: `,"cursor":"1"}`} {
		got := string(withMeta([]byte(params)))
		if want = `{"_meta":{` + ourMeta + "}" + want; got != want || !json.Valid([]byte(got)) {
			t.Errorf("%q: got %s, want %s", params, got, want)
		}
	}
}

func TestProtocolCanBePinned(t *testing.T) {
	for _, version := range spec.Protocols() {
		t.Run(version, func(t *testing.T) {
			server := fakeServer(t, "sdk-server")
			server.Protocol = version
			s := openFake(t, server, &notes{})
			if got := s.Catalogue().Protocol; got != version {
				t.Errorf("got %s", got)
			}
			if r := callTool(t, s, spec.CallRequest{Tool: "echo", Arguments: json.RawMessage(`{"a":1}`)}); !strings.Contains(string(r.Result), `{\"a\":1}`) {
				t.Errorf("%s %v", r.Result, r.Err)
			}
			if version != spec.Stateless {
				return
			}
			if r := callTool(t, s, spec.CallRequest{Tool: "asks"}); !strings.Contains(string(r.Result), "decline st") {
				t.Errorf("%s %v", r.Result, r.Err)
			}
		})
	}
}

func TestProtocolsThatDoNotFit(t *testing.T) {
	for _, test := range []struct{ mode, pinned, want string }{
		{"proto-future", "", `the server speaks protocol version "2099-01-01", and was asked for "2025-11-25"; supported are 2026-07-28, 2025-11-25`},
		{"proto-missing", "", `the server named no protocol version, and was asked for "2025-11-25"`},
		{"ok", spec.Stateless, "the server knows no server/discover, which protocol version 2026-07-28 has"},
		{"stateless,future", spec.Stateless, `the server speaks protocol versions ["2099-01-01"], and was asked for "2026-07-28"`},
		{"stateless,unsupported-version", "2025-06-18", `too old: it has 2026-07-28, and was asked for "2025-06-18"`},
	} {
		t.Run(test.mode, func(t *testing.T) {
			server := fakeServer(t, test.mode)
			server.Protocol = test.pinned
			_, err := Open(t.Context(), server, Options{})
			var failed *OpenError
			if !errors.As(err, &failed) || !failed.Exit.Hopeless || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v; hopeless %v", err, failed != nil && failed.Exit.Hopeless)
			}
		})
	}
}

func TestCancelBetweenRounds(t *testing.T) {
	s := openFake(t, fakeServer(t, "stateless,hang-call"), &notes{})
	end := make(chan spec.Reply, 1)
	cancel := s.Call(spec.CallRequest{Tool: "echo"}, func(r spec.Reply) { end <- r })
	cancel("enough")
	if r := wait(t, end); !errors.Is(r.Err, ErrCancelled) {
		t.Errorf("%+v", r)
	}
}
