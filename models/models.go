// Package models is the small interface between an agent and the language model that drives it. Each provider is one
// package below it.
package models

import (
	"context"
	"encoding/json"
)

// Model drives one agent: it reads the conversation so far and says what to do next.
type Model interface {
	// Next returns the model's next turn. It may block (on a network, say) and must return soon after ctx ends.
	// It is called by one goroutine at a time per agent, but one Model may serve many agents: it keeps no state of a
	// conversation, all of which is in the request.
	Next(ctx context.Context, r Request) (Turn, error)
}

// Request is all a model gets to see.
type Request struct {
	// System is the agent's system prompt.
	System string
	// Input is the task given to the agent.
	Input string
	// Turns are the model's turns so far, each with the results of its calls, oldest first.
	Turns []Past
	// Tools are what the agent may call, by the names the model must use.
	Tools []Tool
}

// Past is a turn that was carried out.
type Past struct {
	Turn    Turn
	Results []Result // one per call of the turn, in the same order
}

// Turn is what a model wants: calls to make at the same time, or, with none, its final answer in Text.
type Turn struct {
	Text  string
	Calls []Call
	// Cost is what the turn cost, in millionths of a US dollar; 0 for nothing, or when the provider does not say.
	Cost int64
}

// Call is one tool call a model asks for.
type Call struct {
	// ID is the model's own id for the call, handed back in its Result; may be empty.
	ID        string
	Tool      string
	Arguments json.RawMessage
}

// Result is the end of a Call.
type Result struct {
	ID   string
	Tool string
	// OK is true when the tool answered and did not report an error.
	OK bool
	// Outcome is the call's outcome by its name in the audit, such as "ok" or "denied".
	Outcome string
	// Text is what the model reads: the tool's text, or a sentence that says why there is none.
	Text string
	// Raw is the tool's result as the server sent it; nil when there is none.
	Raw json.RawMessage
}

// Tool describes one callable tool to a model.
type Tool struct {
	Name        string
	Description string
	InputSchema json.RawMessage
}

// Config is an agent's `model:` block.
type Config struct {
	Provider string
	Name     string
	// Options are the provider's own settings, decoded YAML: maps with string keys, slices, scalars.
	Options map[string]any
}
