package spec

import "encoding/json"

// Tool is one tool as its server describes it.
type Tool struct {
	// Name is the server's own name for the tool, never a prefixed one.
	Name        string
	Description string
	// InputSchema is the JSON Schema of the arguments as the server sent it; nil when it sent none.
	InputSchema json.RawMessage
	Annotations Annotations
	// Raw is the whole tool object as the server sent it.
	Raw json.RawMessage
}

// Annotations are a server's hints about a tool. They are claims of the server, not facts. A nil pointer means not said.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Catalogue is what one incarnation of a server offers: its tools, in the server's order and each name once, and what
// was left out and why.
type Catalogue struct {
	// Server names the MCP implementation and version the server told in initialize.
	Implementation string
	Protocol       string
	Instructions   string
	Tools          []Tool
	// Warnings name tools that were left out, each with the reason.
	Warnings []string
}
