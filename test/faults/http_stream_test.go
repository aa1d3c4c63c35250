package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestB107StreamCutInTheMiddleOfACall(t *testing.T) {
	tests := []struct {
		mode    string
		outcome messages.Outcome
		ran     messages.Ran
		text    string
	}{
		{"drop-mid-stream", messages.OK, messages.RanYes, "hi"},
		{"drop-retry", messages.OK, messages.RanYes, "hi"},
		{"drop-no-id", messages.Lost, messages.RanMaybe, "unexpected EOF"},
		{"drop-clean", messages.Lost, messages.RanMaybe, "ended without the answer"},
		{"drop-mid-body", messages.Lost, messages.RanMaybe, "broke off after 17 bytes"},
		{"reset", messages.Lost, messages.RanMaybe, "fake"},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, test.mode)
			r := start(t, f.entry())
			began := time.Now()
			expect(t, r.echo("fake"), test.outcome, test.ran, test.text)
			took := time.Since(began)
			if took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
			if test.mode == "drop-retry" && took < 700*time.Millisecond {
				t.Errorf("it took %s: the retry time was not honoured", took)
			}
			if f.calls() != 1 || f.starts() != 1 {
				t.Errorf("%d tools/call and %d initialize, want one each", f.calls(), f.starts())
			}
			if s := r.status("fake"); s.State != messages.StateUp {
				t.Errorf("the server is %s", s.State)
			}
		})
	}
}

func TestB22CallTimeoutOverHTTP(t *testing.T) {
	for _, mode := range []string{"blackhole-call", "hang-sse-call", "hang-first-call"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry("timeout: 300ms"))
			expect(t, r.echo("fake"), messages.Timeout, messages.RanMaybe, "`fake`", "`echo`", "300ms")
			eventually(t, "the server is told", func() bool { return len(f.requests("POST", "notifications/cancelled")) == 1 })
			if mode == "hang-first-call" {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			}
			if f.starts() != 1 {
				t.Errorf("%d initialize, want 1", f.starts())
			}
		})
	}
}

func TestB22CommentsKeepAStreamOpen(t *testing.T) {
	f := fakeHTTP(t, "keepalive", "--ms", "300")
	r := start(t, f.entry())
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
}

func TestB35LongResults(t *testing.T) {
	for _, mode := range []string{"huge", "huge-sse"} {
		t.Run(mode, func(t *testing.T) {
			f := fakeHTTP(t, mode, "--size", "3000000")
			r := start(t, f.entry())
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, strings.Repeat("x", 3_000_000))
			f = fakeHTTP(t, mode, "--size", "3000000")
			r = start(t, f.entry("max_message: 1MiB"))
			for range 2 {
				expect(t, r.echo("fake"), messages.ToolError, messages.RanYes, "longer than 1048576 bytes")
			}
			if f.starts() != 1 {
				t.Errorf("%d initialize, want 1: a long answer is no reason for a new session", f.starts())
			}
		})
	}
}

func TestB84ListChangedOnTheGETStream(t *testing.T) {
	f := fakeHTTP(t, "get-list-changed")
	r := start(t, f.entry())
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
	eventually(t, "the tool added can be called", func() bool {
		return r.call("fake", "added", "{}").Outcome == messages.OK
	})
	expect(t, r.call("fake", "add", `{"a":1,"b":2}`), messages.Invalid, messages.RanNo)
}

func TestB102OptionalGETStream(t *testing.T) {
	for _, mode := range []string{
		"405-get", "404-get", "401-get", "406-get", "500-get", "200-get-json", "get-once", "get-breaks", "get-hang",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry())
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			gets := map[bool]int{true: 2, false: 1}[mode == "get-once" || mode == "get-breaks"]
			eventually(t, "the GETs are there", func() bool { return len(f.requests("GET", "")) >= gets })
			for range 9 {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			}
			if s := r.status("fake"); s.State != messages.StateUp || s.Restarts != 0 {
				t.Errorf("%s after %d restarts", s.State, s.Restarts)
			}
			began := time.Now()
			if err := r.Stop(t.Context()); err != nil || time.Since(began) > 3*time.Second {
				t.Errorf("stopping took %s: %v", time.Since(began), err)
			}
			if n := len(f.requests("GET", "")); n > 3 {
				t.Errorf("%d GETs", n)
			}
		})
	}
}
