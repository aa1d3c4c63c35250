package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// NoOutput stands in for the text of a result that has none.
const NoOutput = "(no output)"

// result is the part of a tools/call result that we look at. Fields are raw so that one odd block spoils nothing else.
type result struct {
	Content    json.RawMessage `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// IsError reports whether a result says that the tool failed. It decodes only when it has to.
func IsError(raw json.RawMessage) bool {
	if !bytes.Contains(raw, []byte(`"isError"`)) {
		return false
	}
	var r result
	return json.Unmarshal(raw, &r) == nil && r.IsError
}

// Text renders a result for a reader of text, such as a model: text blocks and embedded text in their order, links by
// uri and name, media by a short placeholder (never base64), and the structured content where there is no text at all.
// It never fails: an odd result is rendered as the JSON it is, an empty one as [NoOutput].
func Text(raw json.RawMessage) string {
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		return orNoOutput(strings.TrimSpace(string(raw)))
	}
	var parts []string
	var blocks []json.RawMessage
	if err := json.Unmarshal(r.Content, &blocks); err == nil {
		for _, b := range blocks {
			parts = append(parts, blockText(b))
		}
	} else if text := asString(r.Content); text != "" {
		parts = append(parts, text)
	}
	text := strings.Join(parts, "\n")
	if text == "" && len(r.Structured) > 0 && string(r.Structured) != "null" {
		text = string(r.Structured)
	}
	if text == "" {
		return NoOutput
	}
	return text
}

// block is any kind of content block.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource *struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
	} `json:"resource"`
}

func blockText(raw json.RawMessage) string {
	var b block
	if json.Unmarshal(raw, &b) != nil {
		return string(raw)
	}
	switch {
	case b.Type == "text":
		return b.Text
	case b.Type == "image" || b.Type == "audio":
		return media(b.Type, b.MIMEType, b.Data)
	case b.Type == "resource_link":
		return strings.TrimSpace(fmt.Sprintf("[link: %s %s %s]", b.URI, b.Name, b.MIMEType))
	case b.Type == "resource" && b.Resource != nil && b.Resource.Blob != "":
		return media("resource "+b.Resource.URI, b.Resource.MIMEType, b.Resource.Blob)
	case b.Type == "resource" && b.Resource != nil:
		return b.Resource.Text
	}
	return string(raw)
}

func media(what, mime, base64 string) string {
	return fmt.Sprintf("[%s: %s, %d bytes]", what, mime, len(base64)/4*3)
}

func asString(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

func orNoOutput(s string) string {
	if s == "" || s == "null" {
		return NoOutput
	}
	return s
}
