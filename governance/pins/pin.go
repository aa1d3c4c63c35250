package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/mcp-supervisor/supervisor/governance/exact"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Seen is a tool as its server describes it now, with the hash that the gate computed over all of it.
type Seen struct {
	mcpspec.Tool
	Hash string
}

// Pin is a tool as it was approved.
type Pin struct {
	// Hash is the gate's hash over name, description, input schema and annotations. It alone decides.
	Hash string
	// Description is the beginning of the tool's description, on one line, so that a reviewer sees what the tool was.
	Description string
	// The digests tell what changed when the hash does: the beginnings of SHA-256 sums.
	DescriptionDigest string
	SchemaDigest      string
	AnnotationsDigest string
	// Flags are what a reviewer could not see: see [Flags]. Each begins with where it was found.
	Flags []string

	extra []exact.Member // what a newer version wrote, sorted by name
}

const (
	// maxExcerpt is how much of a description a pin shows, in characters: one line of a diff.
	maxExcerpt = 80
	// digestBytes is the length of a digest. It needs to tell two versions of one tool apart, not to resist anybody:
	// that is the hash's business.
	digestBytes = 6
)

// PinOf is the pin of a tool as it is now.
func PinOf(t Seen) Pin {
	return Pin{
		Hash:              t.Hash,
		Description:       excerpt(t.Description),
		DescriptionDigest: digest([]byte(t.Description)),
		SchemaDigest:      digest(schemaText(t.InputSchema)),
		AnnotationsDigest: digest(annotationsText(t.Annotations)),
		Flags:             flagsOf(t.Tool),
	}
}

// excerpt is the beginning of a text, with each run of white space made one space.
func excerpt(text string) string {
	line := strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if utf8.RuneCountInString(line) <= maxExcerpt {
		return line
	}
	return string([]rune(line)[:maxExcerpt-1]) + "…"
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:digestBytes])
}

// schemaText is the schema such that the order of keys does not matter. One that has no canonical form, say for a key
// that is there twice, is its own bytes.
func schemaText(schema json.RawMessage) []byte {
	if canonical, err := exact.Canonical(schema); err == nil {
		return canonical
	}
	return schema
}

func annotationsText(a mcpspec.Annotations) []byte {
	text, err := json.Marshal(a)
	if err != nil { // texts and booleans always encode
		panic("pins.annotationsText: " + err.Error())
	}
	return text
}
