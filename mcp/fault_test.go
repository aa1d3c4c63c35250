//go:build unix

package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// A pipe that is broken on purpose ends a session as a broken pipe does: with a reason, and every caller is told.
func TestBrokenPipesEndTheSession(t *testing.T) {
	const reason = "was broken on purpose "
	for name, test := range map[string]struct {
		modes string
		fault Fault
		want  spec.Exit
	}{
		"stdin, and it goes":         {"hang-call", CloseStdin, spec.Exit{Code: 0, Reason: reason + "(close_stdin)"}},
		"stdin, and it stays":        {"hang-call,ignore-eof", CloseStdin, spec.Exit{Code: -1, Signal: "SIGKILL", Reason: reason + "(close_stdin)"}},
		"stdout, and it knows not":   {"hang-call", CloseStdout, spec.Exit{Code: -1, Signal: "SIGKILL", Reason: reason + "(close_stdout)"}},
		"stdin of one who reads not": {"stop-reading", CloseStdin, spec.Exit{Code: -1, Signal: "SIGKILL", Reason: reason + "(close_stdin)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "log")
			s := openFake(t, fakeServer(t, test.modes, "FAKE_LOG="+file), &notes{})
			end, _ := begin(s, "echo", "")
			eventually(t, "the call is there", func() bool { return strings.Contains(read(file), "tools/call") })
			if err := s.Break(test.fault); err != nil {
				t.Fatal(err)
			}
			var exit *ExitError
			if r := wait(t, end); !errors.As(r.Err, &exit) || !r.Written {
				t.Fatalf("reply: %+v", r)
			}
			for what, got := range map[string]spec.Exit{"told": exit.Exit, "dead": dead(t, s), "done": ended(t, s)} {
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s: %s", what, diff)
				}
			}
		})
	}
}

func TestAnIdleSessionIsBrokenToo(t *testing.T) {
	for _, fault := range []Fault{CloseStdin, CloseStdout} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			s := openFake(t, fakeServer(t, "ignore-eof"), &notes{})
			if err := s.Break(fault); err != nil {
				t.Fatal(err)
			}
			if exit := ended(t, s); exit.Clean() || !strings.Contains(exit.Reason, string(fault)) {
				t.Errorf("exit: %+v", exit)
			}
		})
	}
}

func TestOnlyWhatLivesCanBeBroken(t *testing.T) {
	s := openFake(t, fakeServer(t, "ok"), &notes{})
	if err := s.Break("set_fire"); err == nil || !strings.Contains(err.Error(), `"set_fire" is unknown; use close_stdin or close_stdout`) {
		t.Errorf("err = %v", err)
	}
	wantEcho(t, s, `{"still":"here"}`)
	s.Close()
	if exit := s.Exit(); !exit.Clean() {
		t.Errorf("exit: %+v", exit)
	}
	if err := s.Break(CloseStdin); !errors.Is(err, ErrClosed) {
		t.Errorf("break: %v", err)
	}
	if err := s.Slow(1, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("slow: %v", err)
	}
}

func TestBrokenConnectionsLoseTheirRequests(t *testing.T) {
	for _, fault := range []Fault{CloseStdin, CloseStdout} {
		t.Run(string(fault), func(t *testing.T) {
			var arrived atomic.Bool
			quit := make(chan struct{})
			f := newFakeHTTP(t, func(http.ResponseWriter, *http.Request, string) { arrived.Store(true); <-quit })
			t.Cleanup(func() { close(quit) })
			s := openHTTP(t, httpServer(f.URL), &notes{})
			end, _ := begin(s, "echo", "")
			eventually(t, "the call is there", arrived.Load)
			if err := s.Break(fault); err != nil {
				t.Fatal(err)
			}
			var exit *ExitError
			if r := wait(t, end); r.Err == nil || errors.As(r.Err, &exit) || errors.Is(r.Err, context.Canceled) || !r.Written {
				t.Errorf("reply: %+v", r)
			}
			if n := f.requests("tools/call"); n != 1 {
				t.Errorf("the call was sent %d times", n)
			}
			f.answerCallsWith(raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"again":1}}`))
			if r := echo(t, s, ""); string(r.Result) != `{"again":1}` {
				t.Errorf("the next call: %+v", r)
			}
		})
	}
}

func TestABrokenEventStreamEndsItsSession(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "old"}, nil)
	arrived, quit := make(chan struct{}), make(chan struct{})
	sdk.AddTool(server, &sdk.Tool{Name: "echo"}, func(context.Context, *sdk.CallToolRequest, any) (*sdk.CallToolResult, any, error) {
		close(arrived)
		<-quit
		return nil, nil, nil
	})
	f := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() { close(quit); f.CloseClientConnections(); f.Close() })
	s := openHTTP(t, spec.Server{ID: "h", Transport: spec.SSE, Endpoint: f.URL, StartTimeout: limit}, &notes{})
	end, _ := begin(s, "echo", "")
	<-arrived
	eventually(t, "the request was taken on", func() bool { return s.link.(*legacy).posts.Load() == 0 })
	if err := s.Break(CloseStdout); err != nil {
		t.Fatal(err)
	}
	var exit *ExitError
	if r := wait(t, end); !errors.As(r.Err, &exit) || !r.Written {
		t.Errorf("reply: %+v", r)
	}
	if got := ended(t, s); !strings.Contains(got.Reason, "event stream broke") {
		t.Errorf("exit: %+v", got)
	}
}
