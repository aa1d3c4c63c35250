package script

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/mcp-supervisor/supervisor/models"
)

// scene is what templates see.
type scene struct {
	Input   string
	Results Results
	Last    Results
}

// Results are the results of calls, in the order of the calls. Printed, they are their texts, one a line.
type Results []Result

func (rs Results) String() string {
	texts := make([]string, len(rs))
	for i, r := range rs {
		texts[i] = r.Text
	}
	return strings.Join(texts, "\n")
}

// Result is the result of one call. Printed, it is its text.
type Result struct {
	Tool    string
	Text    string
	Outcome string
	OK      bool

	raw json.RawMessage
}

func (r Result) String() string { return r.Text }

// JSON is the result's structured content, or its text decoded when that is JSON, or nil.
func (r Result) JSON() any {
	var result struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
	}
	if json.Unmarshal(r.raw, &result) == nil {
		if value := decode(string(result.StructuredContent)); value != nil {
			return value
		}
	}
	return decode(r.Text)
}

// decode returns nil for what is not one JSON value.
func decode(text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil
	}
	return integers(value)
}

// integers makes whole numbers comparable in templates. Others keep their digits: as a float64, 1000000.0 would be
// printed as 1e+06.
func integers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = integers(v[key])
		}
	}
	return value
}

func newScene(r models.Request) scene {
	s := scene{Input: r.Input}
	for _, past := range r.Turns {
		s.Last = nil
		for _, result := range past.Results {
			s.Last = append(s.Last, Result{
				Tool: result.Tool, Text: result.Text, Outcome: result.Outcome, OK: result.OK, raw: result.Raw,
			})
		}
		s.Results = append(s.Results, s.Last...)
	}
	return s
}
