package audit

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestOutcomeTypes(t *testing.T) {
	want := map[messages.Outcome]EventType{
		"ok": "skill.executed", "tool_error": "tool.error", "denied": "policy.denied", "invalid": "tool.invalid",
		"unavailable": "tool.unavailable", "lost": "tool.lost", "timeout": "tool.timeout", "cancelled": "tool.cancelled",
		"overloaded": "tool.overloaded", "stopped": "tool.stopped", "internal": "tool.internal",
	}
	got := map[messages.Outcome]EventType{}
	for _, o := range messages.Outcomes {
		got[o] = OutcomeType(o)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConstructors(t *testing.T) {
	call := messages.Call{
		ID: "c1", Run: "r1", Agent: "ada", Topology: "top", Server: "files", Tool: "read", Arguments: []byte(`{"a":1}`),
	}
	allow := messages.Decision{Allowed: true, Rule: "p1", Via: "reading", ToolHash: "x"}
	deny := messages.Decision{Outcome: messages.Denied, Rule: "p2", Reason: "not today"}
	exit := &messages.Exit{Code: -1, Signal: "SIGKILL", StderrTail: []string{"a", "b"}}
	const digest = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
	tests := map[string]struct{ got, want Record }{
		"intent": {
			Intent(call, allow),
			Record{
				EventType: "tool.intent", CallID: "c1", AgentID: "ada", RunID: "r1", TopologyID: "top", SkillID: "reading",
				Server: "files", Tool: "read", ArgumentsDigest: digest, ArgumentsBytes: 7, Arguments: []byte(`{"a":1}`),
				PolicyDecision: "allow", PolicyRule: "p1",
			},
		},
		"intent of a call that is refused, without arguments": {
			Intent(messages.Call{ID: "c2", Agent: "ada", Server: "files", Tool: "rm"}, deny),
			Record{
				EventType: "tool.intent", CallID: "c2", AgentID: "ada", Server: "files", Tool: "rm",
				PolicyDecision: "deny", PolicyRule: "p2", PolicyReason: "not today",
			},
		},
		"outcome lost": {
			Outcome(messages.CallResult{
				CallID: "c1", Agent: "ada", Server: "files", Tool: "read", Outcome: messages.Lost, Ran: messages.RanMaybe,
				Error: &messages.CallError{Kind: "lost", Message: "gone", Exit: exit}, Attempts: 2, Incarnation: 3, Duration: 9,
			}, allow).In(call),
			Record{
				EventType: "tool.lost", CallID: "c1", AgentID: "ada", RunID: "r1", TopologyID: "top", SkillID: "reading",
				Server: "files", Tool: "read", Outcome: "lost", Ran: "maybe", Attempts: 2, Incarnation: 3, Duration: 9,
				Error: &Error{Kind: "lost", Message: "gone"}, Exit: exit, PolicyDecision: "allow", PolicyRule: "p1",
			},
		},
		"outcome of a call that nobody decided on": {
			Outcome(messages.CallResult{CallID: "c1", Outcome: messages.Stopped, Ran: messages.RanNo}, messages.Decision{}),
			Record{EventType: "tool.stopped", CallID: "c1", Outcome: "stopped", Ran: "no"},
		},
		"event": {
			FromEvent(messages.Event{
				Kind: messages.ServerRestarting, Server: "files", Incarnation: 2, Restarts: 1, Budget: 5,
				After: messages.Millis(250 * time.Millisecond), Detail: "killed\xff",
			}),
			Record{
				EventType: "server.restarting", Server: "files", Incarnation: 2,
				Payload: []byte(`{"restarts":1,"budget":5,"after_ms":250,"detail":"killed\\xff"}`),
			},
		},
		"event without details": {
			FromEvent(messages.Event{Kind: messages.RunStarted, Run: "r1"}),
			Record{EventType: "run.started", RunID: "r1"},
		},
		"fact": {
			Fact(ConfigLoaded, map[string]int{"servers": 2}),
			Record{EventType: "config.loaded", Payload: []byte(`{"servers":2}`)},
		},
		"fact without a payload": {Fact(SupervisorStopped, nil), Record{EventType: "supervisor.stopped"}},
		"fact that JSON cannot hold": {
			Fact(ConfigLoaded, math.Inf(1)),
			Record{EventType: "config.loaded", Payload: []byte(`{"unencodable":"json: unsupported value: +Inf"}`)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIntentKeepsOnlyTheDigestOfHugeArguments(t *testing.T) {
	huge := []byte(`"` + strings.Repeat("x", MaxArguments) + `"`)
	r := Intent(messages.Call{ID: "c", Arguments: huge}, messages.Decision{})
	if r.Arguments != nil || r.ArgumentsBytes != len(huge) || len(r.ArgumentsDigest) != 64 {
		t.Errorf("arguments of %d bytes, %d, digest %q", len(r.Arguments), r.ArgumentsBytes, r.ArgumentsDigest)
	}
}

// full has no zero field, so that the encoder cannot forget one.
func full() Record {
	return Record{
		Seq: 7, EventID: "id", EventType: "tool.lost", Timestamp: time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC),
		CallID: "c1", AgentID: "ada", RunID: "r1", TopologyID: "top", SkillID: "skill", Server: "files", Tool: "read",
		Incarnation: 2, ArgumentsDigest: "d", ArgumentsBytes: 7, Arguments: []byte(`{"a":1}`),
		Outcome: "lost", Ran: "maybe", Attempts: 3, Duration: messages.Millis(1500 * time.Microsecond),
		Error: &Error{Kind: "lost", Code: -5, Message: "gone"},
		Exit:  &messages.Exit{Code: 3, Signal: "SIGKILL", Reason: "why", StderrTail: []string{"a", "b"}},

		PolicyDecision: "allow", PolicyRule: "p1", PolicyReason: "why not", Payload: []byte(`{"k":[1,2]}`),
		Prev: strings.Repeat("a", hashLen),
	}
}

func encodeLine(r Record) string { return string(bytes.TrimSuffix(encode(nil, &r), []byte("\n"))) }

func TestEncodeWritesEveryFieldOnce(t *testing.T) {
	const body = `{"seq":7,"event_id":"id","event_type":"tool.lost","timestamp":"2026-01-02T03:04:05.0000006Z",` +
		`"call_id":"c1","agent_id":"ada","run_id":"r1","topology_id":"top","skill_id":"skill","server":"files",` +
		`"tool":"read","incarnation":2,"arguments_digest":"d","arguments_bytes":7,"arguments":{"a":1},` +
		`"outcome":"lost","ran":"maybe","attempts":3,"duration_ms":1.5,` +
		`"error":{"kind":"lost","code":-5,"message":"gone"},` +
		`"exit":{"code":3,"signal":"SIGKILL","reason":"why","stderr_tail":["a","b"]},` +
		`"policy_decision":"allow","policy_rule":"p1","policy_reason":"why not","payload":{"k":[1,2]},` +
		`"prev":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`
	want := full()
	want.Hash = hashOf([]byte(body))
	line := encodeLine(full())
	if diff := cmp.Diff(body+`,"hash":"`+want.Hash+`"}`, line); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	got, err := decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

func TestEncodeShowsWhatWouldForgeOrHide(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":                      {`abc äöü 漢字 😀`, `"abc äöü 漢字 😀"`},
		"quotes":                     {`"},{"seq":1`, `"\"},{\"seq\":1"`},
		"line ends":                  {"a\r\nb", `"a\u000d\u000ab"`},
		"terminal":                   {"\x1b[2J\x7f\u009b", `"\u001b[2J\u007f\u009b"`},
		"NUL":                        {"\x00", `"\u0000"`},
		"Unicode line ends":          {"\u2028\u2029", `"\u2028\u2029"`},
		"writing direction":          {"\u202e\u2066\u200f", `"\u202e\u2066\u200f"`},
		"invisible":                  {"\ufeff\u200b\U000e0041", `"\ufeff\u200b\udb40\udc41"`},
		"not UTF-8":                  {"a\xffb\xc3", `"a\\xffb\\xc3"`},
		"looks like not UTF-8":       {`a\xffb`, `"a\\x5cxffb"`},
		"a path":                     {`C:\temp\xylo`, `"C:\\temp\\xylo"`},
		"a real replacement rune":    {"\ufffd", "\"\ufffd\""},
		"a backslash before a byte":  {"\\\xff", `"\\\\xff"`},
		"an escape before its digit": {"\\x4\xff", `"\\x4\\xff"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(appendString(nil, test.in)); got != test.want {
				t.Errorf("appendString(%q) = %s, want %s", test.in, got, test.want)
			}
		})
	}
}

func TestEncodeKeepsRawJSONAsItIs(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"numbers":        {`{"n": 12345678901234567890123, "f": 1.0e5}`, `{"n":12345678901234567890123,"f":1.0e5}`},
		"many lines":     {"{\n\t\"a\" :\r\n1}\n", `{"a":1}`},
		"duplicates":     {`{"a":1,"a":2}`, `{"a":1,"a":2}`},
		"escapes":        {`{"a":"\u00e4\ud800\\xff\n"}`, `{"a":"\u00e4\ud800\\xff\n"}`},
		"hidden":         {"{\"a\":\"\u202e\u2028\u007fä\"}", `{"a":"\u202e\u2028\u007fä"}`},
		"hidden, ASCII":  {"{\"a\":\"\u007f\"}", `{"a":"\u007f"}`},
		"not JSON":       {`{"a":1}` + "\n" + `{"b":2}`, `"{\"a\":1}\u000a{\"b\":2}"`},
		"not JSON, cut":  {`{"a":`, `"{\"a\":"`},
		"not UTF-8":      {"{\"a\":\"\xff\"}", `"{\"a\":\"\\xff\"}"`},
		"too deep":       {strings.Repeat("[", 20000), `"` + strings.Repeat("[", 20000) + `"`},
		"a string alone": {`"x"`, `"x"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(appendRaw([]byte("before"), []byte(test.in))); got != "before"+test.want {
				t.Errorf("appendRaw(%q) = %s, want %s", test.in, got, test.want)
			}
		})
	}
}

// unescape undoes appendByte in a decoded text. That it can is the proof that no two byte strings look alike.
func unescape(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || !looksEscaped(s[i:]) {
			out = append(out, s[i])
			continue
		}
		out = append(out, byte(strings.IndexByte(hexDigits, s[i+2])<<4|strings.IndexByte(hexDigits, s[i+3])))
		i += 3
	}
	return string(out)
}

// tricky draws texts that are near to what the escapes are made of.
func tricky() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{`\`, `x`, `\x`, `\x5c`, `\xff`, "\xff", "\xf0\x9f", "\n", "\u2028", `"`, `\u000a`, "5c"}),
		rapid.String(), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 4), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOf(piece), func(pieces []string) string { return strings.Join(pieces, "") })
}

func TestTextsAreOneLineAndStayDifferent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := tricky().Draw(t, "in")
		encoded := appendString(nil, in)
		for _, r := range string(encoded) {
			if hidden(r) {
				t.Fatalf("%s holds %U", encoded, r)
			}
		}
		var decoded string
		if err := json.Unmarshal(encoded, &decoded); err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		if got := unescape(decoded); got != in {
			t.Fatalf("%q became %s, which is %q", in, encoded, got)
		}
	})
}

func TestRecordsOfAnyContentAreOneDecodableLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := full()
		for _, field := range []*string{
			&r.EventID, &r.CallID, &r.AgentID, &r.RunID, &r.TopologyID, &r.SkillID, &r.Server,
			&r.Tool, &r.Error.Kind, &r.Error.Message, &r.Exit.Signal, &r.Exit.StderrTail[0], &r.PolicyReason,
		} {
			*field = tricky().Draw(t, "text") + "."
		}
		r.Arguments = []byte(tricky().Draw(t, "arguments"))
		r.Payload = []byte(tricky().Draw(t, "payload"))
		line := encodeLine(r)
		if strings.ContainsAny(line, "\n\r\x1b") || !json.Valid([]byte(line)) {
			t.Fatalf("not one line of JSON: %q", line)
		}
		got, err := decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		h, err := parseHeader([]byte(line))
		if err != nil || h.callID != got.CallID || h.seq != got.Seq || h.eventType != got.EventType || h.prev != got.Prev {
			t.Fatalf("header %+v, %v does not fit record %+v", h, err, got)
		}
		if unescape(got.Tool) != r.Tool || unescape(got.Error.Message) != r.Error.Message {
			t.Fatalf("%q became %q", r.Tool, got.Tool)
		}
	})
}
