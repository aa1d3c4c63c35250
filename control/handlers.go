package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathHello, func(w http.ResponseWriter, _ *http.Request) { respond(w, hello{PID: os.Getpid()}) })
	mux.HandleFunc("POST "+pathCancel, s.cancel)
	mux.Handle("GET "+pathServers, answer(s, func(ctx context.Context, _ struct{}) ([]messages.ServerStatus, error) {
		return s.api.Servers(ctx)
	}))
	mux.Handle("POST "+pathCall, answer(s, func(ctx context.Context, r actors.CallRequest) (messages.CallResult, error) {
		return s.api.CallTool(ctx, r), nil
	}))
	mux.Handle("POST "+pathTools, answer(s, s.api.Tools))
	mux.Handle("POST "+pathRun, s.request(s.run))
	mux.Handle("POST "+pathStart, answer(s, byID(s.api.StartServer)))
	mux.Handle("POST "+pathStop, answer(s, byID(s.api.StopServer)))
	mux.Handle("POST "+pathRestart, answer(s, byID(s.api.RestartServer)))
	mux.Handle("POST "+pathReload, answer(s, func(ctx context.Context, _ struct{}) (actors.ReloadResult, error) {
		return s.api.Reload(ctx)
	}))
	mux.Handle("POST "+pathList, answer(s, s.api.Audit))
	mux.Handle("POST "+pathVerify, answer(s, func(ctx context.Context, _ struct{}) (audit.Report, error) {
		return s.api.VerifyAudit(ctx)
	}))
	s.gate(mux)
	return versioned(mux)
}

// byID makes what one server is told by its id take that id from a request.
func byID[Out any](fn func(context.Context, string) (Out, error)) func(context.Context, serverRequest) (Out, error) {
	return func(ctx context.Context, r serverRequest) (Out, error) { return fn(ctx, r.Server) }
}

// versioned refuses peers that speak another protocol, before their body is read.
func versioned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stamp(w.Header())
		if err := checkProtocol(r.Header, "the asking command"); err != nil {
			refuse(w, http.StatusUpgradeRequired, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answer makes a handler of a function from a decoded body to a value.
func answer[In, Out any](s *Server, fn func(context.Context, In) (Out, error)) http.Handler {
	return s.request(func(ctx context.Context, w http.ResponseWriter, r *http.Request) {
		var in In
		if err := decode(w, r, &in); err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		out, err := fn(ctx, in)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, err)
			return
		}
		respond(w, out)
	})
}

// request gives a handler a context that ends with the connection, at the caller's deadline, or by a cancel.
func (s *Server) request(fn func(context.Context, http.ResponseWriter, *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deadline, err := deadlineOf(r.Header)
		if err != nil {
			refuse(w, http.StatusBadRequest, fmt.Errorf("%s: %w", headerDeadline, err))
			return
		}
		ctx, end := s.requests.begin(r.Context(), r.Header.Get(headerRequest))
		defer end()
		if !deadline.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline)
			defer cancel()
		}
		fn(ctx, w, r)
	})
}

func (s *Server) cancel(w http.ResponseWriter, r *http.Request) {
	var in cancelRequest
	if err := decode(w, r, &in); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	if !s.requests.stop(in.Request) {
		refuse(w, http.StatusNotFound, errors.New("no such request: it has ended, or never began"))
		return
	}
	respond(w, struct{}{})
}

// decode reads the whole body: only then does net/http watch for the peer's going away.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := readBounded(http.MaxBytesReader(w, r.Body, MaxBody), MaxBody)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("decode the request: %w", err)
	}
	return nil
}

func respond(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = encode(w, v) // the peer is gone: nobody to tell
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = encode(w, failureOf(err))
}
