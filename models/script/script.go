package script

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-supervisor/supervisor/models"
)

// New makes a model of the options {turns: [...]}; see the package for what a turn is.
// The error is [Faults], all of them.
func New(options map[string]any) (models.Model, error) {
	var p parser
	turns := p.script(options)
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	return model{turns: turns}, nil
}

type model struct{ turns []turn }

// Next plays the turn after those in the request.
// Errors: ctx's, a template that fails, and a request beyond the script's end.
func (m model) Next(ctx context.Context, r models.Request) (models.Turn, error) {
	if err := ctx.Err(); err != nil {
		return models.Turn{}, err
	}
	n, s := len(r.Turns), newScene(r)
	switch {
	case n < len(m.turns):
		return m.turns[n].play(n, s)
	case n == len(m.turns) && m.turns[n-1].text == nil:
		return models.Turn{Text: s.Last.String()}, nil
	}
	return models.Turn{}, fmt.Errorf("the script is over: it has %d turns, and turn %d was asked for", len(m.turns), n+1)
}

func (t turn) play(n int, s scene) (models.Turn, error) {
	if t.text != nil {
		text, err := t.text.render(s)
		return models.Turn{Text: text, Cost: t.cost}, err
	}
	calls := make([]models.Call, len(t.calls))
	for i, c := range t.calls {
		var err error
		if calls[i], err = c.play(s); err != nil {
			return models.Turn{}, err
		}
		calls[i].ID = fmt.Sprintf("turn-%d-call-%d", n+1, i+1)
	}
	return models.Turn{Calls: calls, Cost: t.cost}, nil
}

func (c call) play(s scene) (models.Call, error) {
	tool, err := c.tool.render(s)
	if err != nil {
		return models.Call{}, err
	}
	if tool == "" {
		return models.Call{}, fmt.Errorf("%s: the template gives no name", c.tool.at)
	}
	arguments, err := c.render(s)
	return models.Call{Tool: tool, Arguments: arguments}, err
}

// render returns the arguments as JSON, or nil when the script has none.
func (c call) render(s scene) (json.RawMessage, error) {
	if c.arguments == nil {
		return nil, nil
	}
	if t, ok := c.arguments.(*text); ok {
		return t.object(s)
	}
	value, err := fill(c.arguments, s)
	if err != nil {
		return nil, err
	}
	raw, err := toJSON(value)
	return json.RawMessage(raw), err
}

// object renders a template that gives a JSON object.
func (t *text) object(s scene) (json.RawMessage, error) {
	raw, err := t.render(s)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &object); err != nil || object == nil {
		return nil, fmt.Errorf("%s: the template does not give a JSON object; use the function json for values in it", t.at)
	}
	return json.RawMessage(raw), nil
}

// fill returns arguments with the templates in them rendered.
func fill(v any, s scene) (any, error) {
	var err error
	switch v := v.(type) {
	case *text:
		return v.render(s)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			if out[key], err = fill(item, s); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			if out[i], err = fill(item, s); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}
