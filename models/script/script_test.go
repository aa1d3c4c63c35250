package script

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/mcp-supervisor/supervisor/models"
)

// m and l shorten decoded YAML.
type (
	m = map[string]any
	l = []any
)

func callsTurn(calls ...any) m { return m{"calls": calls} }

func textTurn(s string) m { return m{"text": s} }

func open(t *testing.T, turns ...any) models.Model {
	t.Helper()
	model, err := New(m{"turns": turns})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// past is a turn with one result a text.
func past(texts ...string) models.Past {
	var p models.Past
	for _, text := range texts {
		p.Results = append(p.Results, models.Result{Tool: "t", OK: true, Outcome: "ok", Text: text})
	}
	return p
}

func TestText(t *testing.T) {
	structured := models.Past{Results: []models.Result{{
		Tool: "count", Outcome: "ok", OK: true, Text: "three",
		Raw: json.RawMessage(`{"structuredContent":{"n":3,"big":9007199254740993,"f":1000000.0,"list":[1,"b"]}}`),
	}}}
	failed := models.Past{Results: []models.Result{{Tool: "rm", Outcome: "denied", Text: "DENIED: no"}}}
	for _, tt := range []struct {
		name, text string
		turns      []models.Past
		want       string
	}{
		{"plain", "hello", nil, "hello"},
		{"empty", "", nil, ""},
		{"input", "hello {{ .Input }}", nil, "hello <Bob>"},
		{"one result", "{{ index .Results 0 }}", []models.Past{past("a", "b")}, "a"},
		{"all results", "{{ .Results }}", []models.Past{past("a", "b"), past("c")}, "a\nb\nc"},
		{"last results", "{{ .Last }}", []models.Past{past("a", "b"), past("c", "d")}, "c\nd"},
		{"range", "{{ range .Results }}[{{ .Tool }}={{ .Text }}]{{ end }}", []models.Past{past("a", "b")}, "[t=a][t=b]"},
		{"failed result", "{{ with index .Last 0 }}{{ if .OK }}fine{{ else }}{{ .Tool }} {{ .Outcome }}{{ end }}{{ end }}", []models.Past{failed}, "rm denied"},
		{"structured content", "{{ (index .Results 0).JSON.n }} {{ index (index .Last 0).JSON.list 1 }}", []models.Past{structured}, "3 b"},
		{"numbers keep their digits", "{{ with (index .Last 0).JSON }}{{ .big }} {{ .f }}{{ end }}", []models.Past{structured}, "9007199254740993 1000000.0"},
		{"whole numbers compare", "{{ if gt (index .Last 0).JSON.n 2 }}many{{ end }}", []models.Past{structured}, "many"},
		{"JSON in the text", "{{ (index .Last 0).JSON.a.b }}", []models.Past{past(`{"a":{"b":true}}`)}, "true"},
		{"text that is no JSON", "{{ if (index .Last 0).JSON }}yes{{ else }}no{{ end }}", []models.Past{past(`{} {}`)}, "no"},
		{"functions", `{{ upper "a" }}{{ lower "B" }}{{ trim " c " }} {{ json .Input }} {{ split "," "x,y" | join "+" }}`, nil, `Abc "<Bob>" x+y`},
		{"join results", `{{ .Results | join ", " }}`, []models.Past{past("a", "b")}, "a, b"},
		{"join decoded lists", `{{ (index .Last 0).JSON.list | join "-" }}`, []models.Past{structured}, "1-b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := make([]any, len(tt.turns), len(tt.turns)+1)
			for i := range script {
				script[i] = callsTurn(m{"tool": "t"})
			}
			got, err := open(t, append(script, textTurn(tt.text))...).Next(t.Context(), models.Request{Input: "<Bob>", Turns: tt.turns})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(models.Turn{Text: tt.want}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	for _, tt := range []struct {
		name string
		call m
		tool string
		want string // arguments; "" = nil
	}{
		{"no arguments", m{"tool": "now"}, "now", ""},
		{"null arguments", m{"tool": "now", "arguments": nil}, "now", ""},
		{"empty arguments", m{"tool": "now", "arguments": m{}}, "now", "{}"},
		{"templates in depth", m{"tool": "t", "arguments": m{"a": l{"{{ .Input }}", m{"b": "<{{ .Input }}>"}}}}, "t", `{"a":["x \"y\"",{"b":"<x \"y\">"}]}`},
		{
			"numbers stay numbers",
			m{"tool": "t", "arguments": m{"n": 5, "f": 1.5, "big": uint64(18446744073709551615), "s": "5", "b": true, "z": nil}},
			"t",
			`{"b":true,"big":18446744073709551615,"f":1.5,"n":5,"s":"5","z":null}`,
		},
		{"a template gives a string", m{"tool": "t", "arguments": m{"n": "{{ 5 }}"}}, "t", `{"n":"5"}`},
		{"keys are no templates", m{"tool": "t", "arguments": m{"{{ .Input }}": 1}}, "t", `{"{{ .Input }}":1}`},
		{"arguments as one template", m{"tool": "t", "arguments": `{"n": {{ 5 }}, "s": {{ json .Input }}}`}, "t", `{"n": 5, "s": "x \"y\""}`},
		{"tool as a template", m{"tool": "get_{{ len .Input }}"}, "get_5", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := open(t, callsTurn(tt.call)).Next(t.Context(), models.Request{Input: `x "y"`})
			if err != nil {
				t.Fatal(err)
			}
			want := models.Turn{Calls: []models.Call{{ID: "turn-1-call-1", Tool: tt.tool}}}
			if tt.want != "" {
				want.Calls[0].Arguments = json.RawMessage(tt.want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A whole conversation: two calls at the same time, one that uses their results, and the answer from the last results.
func TestConversation(t *testing.T) {
	model := open(t,
		callsTurn(m{"tool": "a"}, m{"tool": "b"}),
		callsTurn(m{"tool": "c", "arguments": m{"from": "{{ index .Results 1 }}"}}),
	)
	r := models.Request{Input: "go"}
	var tools []string
	for {
		turn, err := model.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(turn.Calls) == 0 {
			if turn.Text != "c of b of " {
				t.Errorf("answer %q", turn.Text)
			}
			break
		}
		done := models.Past{Turn: turn}
		for _, c := range turn.Calls {
			tools = append(tools, c.ID+" "+c.Tool)
			var arguments struct{ From string }
			if c.Arguments != nil {
				if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
					t.Fatal(err)
				}
			}
			done.Results = append(done.Results, models.Result{Tool: c.Tool, OK: true, Text: c.Tool + " of " + arguments.From})
		}
		r.Turns = append(r.Turns, done)
	}
	if diff := cmp.Diff([]string{"turn-1-call-1 a", "turn-1-call-2 b", "turn-2-call-1 c"}, tools); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNextFails(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		turn  m
		turns []models.Past
		want  string
	}{
		{"beyond a text", context.Background(), textTurn("x"), []models.Past{{}}, "the script is over: it has 1 turns, and turn 2 was asked for"},
		{"beyond the answer", context.Background(), callsTurn(m{"tool": "t"}), []models.Past{{}, {}}, "the script is over: it has 1 turns, and turn 3 was asked for"},
		{"caller gone", gone, textTurn("x"), nil, "context canceled"},
		{"no such result", context.Background(), textTurn("{{ index .Results 3 }}"), nil, "turns[0].text: line:1:3: "},
		{"no such field", context.Background(), textTurn("{{ .Inptu }}"), nil, "can't evaluate field Inptu"},
		{"no such key", context.Background(), textTurn(`{{ $m := (json .Input) }}{{ $m.x }}`), nil, "turns[0].text: "},
		{"nameless tool", context.Background(), callsTurn(m{"tool": "{{ .Input }}"}), nil, "turns[0].calls[0].tool: the template gives no name"},
		{"failing tool", context.Background(), callsTurn(m{"tool": "{{ index .Results 0 }}"}), nil, "turns[0].calls[0].tool: "},
		{"failing argument", context.Background(), callsTurn(m{"tool": "t", "arguments": m{"a": l{"{{ index .Last 0 }}"}}}), nil, "turns[0].calls[0].arguments.a[0]: "},
		{"arguments that are no JSON", context.Background(), callsTurn(m{"tool": "t", "arguments": "{{ .Input }}"}), nil, "turns[0].calls[0].arguments: the template does not give a JSON object"},
		{"arguments that are no object", context.Background(), callsTurn(m{"tool": "t", "arguments": "null"}), nil, "turns[0].calls[0].arguments: the template does not give a JSON object"},
		{"arguments that fail", context.Background(), callsTurn(m{"tool": "t", "arguments": "{{ index .Last 0 }}"}), nil, "turns[0].calls[0].arguments: "},
		{"too long", context.Background(), textTurn(`{{ range 2000 }}{{ printf "%01000d" 1 }}{{ end }}`), nil, "turns[0].text: gives more than 1048576 bytes"},
		{"join of no list", context.Background(), textTurn(`{{ join "," 5 }}`), nil, "join wants a list, not int"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := open(t, tt.turn).Next(tt.ctx, models.Request{Turns: tt.turns})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, error %v, want one with %q", got, err, tt.want)
			}
		})
	}
}

// A key that a decoded result lacks is an error, not "<no value>".
func TestMissingKey(t *testing.T) {
	model := open(t, callsTurn(m{"tool": "t"}), textTurn("{{ (index .Last 0).JSON.nope }}"))
	_, err := model.Next(t.Context(), models.Request{Turns: []models.Past{past(`{"a":1}`)}})
	if err == nil || !strings.Contains(err.Error(), `turns[1].text: `) || !strings.Contains(err.Error(), `no entry for key "nope"`) {
		t.Errorf("got %v", err)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options m
		want    string
	}{
		{"nothing", nil, "turns: missing (give a list of turns, each with calls or text)"},
		{"misspelt", m{"turn": l{}}, "turn: unknown (did you mean `turns`?)\nturns: missing (give a list of turns, each with calls or text)"},
		{"not a list", m{"turns": "x"}, "turns: must be a list, and is a string"},
		{"empty", m{"turns": l{}}, "turns: is empty"},
		{"turn is no mapping", m{"turns": l{"x"}}, "turns[0]: must be a mapping, and is a string"},
		{"neither", m{"turns": l{m{}}}, "turns[0]: has neither calls nor text (give calls or text)"},
		{"both", m{"turns": l{m{"text": "x", "calls": l{}}}}, "turns[0]: has both calls and text (make two turns of it)"},
		{"text is a number", m{"turns": l{m{"text": 5}}}, "turns[0].text: must be a string, and is a number (quote it)"},
		{"text in between", m{"turns": l{textTurn("x"), textTurn("y")}}, "turns[0].text: ends the script, and 1 more turn follows (only the last turn may be text)"},
		{"no calls", m{"turns": l{m{"calls": l{}}}}, "turns[0].calls: is empty"},
		{"calls are a mapping", m{"turns": l{m{"calls": m{"tool": "x"}}}}, "turns[0].calls: must be a list, and is a mapping"},
		{"no tool", m{"turns": l{callsTurn(m{"tool": "x"}), callsTurn(m{"arguments": m{}})}}, "turns[1].calls[0].tool: missing (name the tool as the agent sees it)"},
		{"misspelt tool", m{"turns": l{callsTurn(m{"tool": "x", "args": m{}})}}, "turns[0].calls[0].args: unknown (known here: tool, arguments)"},
		{"misspelt arguments", m{"turns": l{callsTurn(m{"tool": "x", "argument": m{}})}}, "turns[0].calls[0].argument: unknown (did you mean `arguments`?)"},
		{"arguments are a list", m{"turns": l{callsTurn(m{"tool": "x", "arguments": l{}})}}, "turns[0].calls[0].arguments: is a list (give a mapping, or a template that gives a JSON object)"},
		{"a date", m{"turns": l{callsTurn(m{"tool": "x", "arguments": m{"d": time.Time{}}})}}, "turns[0].calls[0].arguments.d: is a time.Time, which JSON does not have (quote it to make it a string)"},
		{"not a number", m{"turns": l{callsTurn(m{"tool": "x", "arguments": m{"d": nan()}})}}, "turns[0].calls[0].arguments.d: JSON has no such number as NaN"},
		{"template", m{"turns": l{textTurn("{{ .Input")}}, "turns[0].text: line:1: unclosed action"},
		{"template in arguments", m{"turns": l{callsTurn(m{"tool": "x", "arguments": m{"a": l{1, "{{ nope }}"}}})}}, "turns[0].calls[0].arguments.a[1]: line:1: function \"nope\" not defined"},
		{"several", m{"turns": l{m{"txt": "x"}, callsTurn(m{"tool": true}, nil)}}, strings.Join([]string{
			"turns[0].txt: unknown (did you mean `text`?)",
			"turns[0]: has neither calls nor text (give calls or text)",
			"turns[1].calls[0].tool: must be a string, and is a boolean (quote it)",
			"turns[1].calls[1]: must be a mapping, and is empty",
		}, "\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model, err := New(tt.options)
			if err == nil || model != nil {
				t.Fatalf("got %v, %v, want faults", model, err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func nan() float64 { var zero float64; return zero / zero }

// One model serves many agents.
func TestConcurrentUse(t *testing.T) {
	model := open(t, callsTurn(m{"tool": "t", "arguments": m{"a": "{{ .Input }}"}}))
	var g errgroup.Group
	for range 8 {
		g.Go(func() error {
			for range 50 {
				if _, err := model.Next(context.Background(), models.Request{Input: "x"}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
