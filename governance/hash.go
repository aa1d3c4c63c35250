package governance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// hashTool is the hex SHA-256 over a tool's name, description, input schema and annotations as canonical JSON. The order
// of keys and white space do not change it; a number's digits do, so that 1 and 1.0 differ.
func hashTool(t mcpspec.Tool) string {
	subject, err := json.Marshal(struct {
		Name        string              `json:"name"`
		Description string              `json:"description"`
		InputSchema json.RawMessage     `json:"inputSchema"`
		Annotations mcpspec.Annotations `json:"annotations"`
	}{t.Name, t.Description, canonical(t.InputSchema), t.Annotations})
	if err != nil { // canonical returns valid JSON, and nothing else can fail
		panic("governance.hashTool: " + err.Error())
	}
	sum := sha256.Sum256(subject)
	return hex.EncodeToString(sum[:])
}

// canonical returns raw with sorted keys and without white space. What decodeStrict refuses, such as a
// schema with a key twice, is returned as a string of its own bytes, so that any change of it changes the hash.
func canonical(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	value, err := decodeStrict(raw)
	if err != nil {
		value = string(raw)
	}
	out, err := json.Marshal(value)
	if err != nil {
		panic("governance.canonical: " + err.Error())
	}
	return out
}
