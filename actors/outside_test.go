package actors

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/messages"
)

// A provider outside the process is asked after our own, and both have to allow a call. Whatever it does, a call that it
// did not clearly allow is denied.
func TestAProviderOutsideDecidesToo(t *testing.T) {
	var answer atomic.Value
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Method string }
		_ = json.NewDecoder(r.Body).Decode(&request)
		if request.Method != "evaluate_action" {
			_, _ = w.Write([]byte(`{"version":1}`))
			return
		}
		asked.Add(1)
		_, _ = w.Write([]byte(answer.Load().(string)))
	}))
	t.Cleanup(service.Close)
	ws := oneServer(t, nil)
	ws.Governance = config.Governance{Provider: config.GovernanceHTTP, HTTP: &config.ProviderHTTP{Endpoint: service.URL, Timeout: 5 * time.Second}}
	approve := func(context.Context, approval.Pending) (approval.Verdict, string) { return approval.Deny, "not today" }
	s := startFake(t, ws, &fakeServer{}, WithApprover(approve))
	for _, tt := range []struct {
		name, answer string
		want         messages.Outcome
		words        string
	}{
		{"a yes", `{"version":1,"allowed":true,"rule":"r"}`, messages.OK, ""},
		{"a no", `{"version":1,"allowed":false,"reason":"not for you"}`, messages.Denied, "not for you"},
		{"a yes that needs a person's", `{"version":1,"allowed":true,"approve":{"reason":"it is late"}}`, messages.Denied, "not today"},
		{"nonsense", `{"allowed":"yes"}`, messages.Denied, "could not be checked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer.Store(tt.answer)
			r := call(s, "x")
			if r.Outcome != tt.want || r.Error != nil && !strings.Contains(r.Error.Message, tt.words) {
				t.Errorf("%s, %+v", r.Outcome, r.Error)
			}
		})
	}
	before := asked.Load()
	want1(t, s.CallTool(context.Background(), CallRequest{Server: "s", Tool: "nope"}), messages.Invalid, messages.RanNo)
	if asked.Load() != before {
		t.Error("it was asked about a call that our own gate refuses")
	}
}
