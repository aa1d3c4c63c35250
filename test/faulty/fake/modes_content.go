package fake

import "strings"

// Content blocks of all kinds.
const (
	textBlock     = `{"type":"text","text":"first"}`
	imageBlock    = `{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==","mimeType":"image/png"}`
	audioBlock    = `{"type":"audio","data":"UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==","mimeType":"audio/wav"}`
	linkBlock     = `{"type":"resource_link","uri":"file:///data/report.pdf","name":"report.pdf","mimeType":"application/pdf"}`
	textResource  = `{"type":"resource","resource":{"uri":"file:///data/notes.txt","mimeType":"text/plain","text":"embedded notes"}}`
	bytesResource = `{"type":"resource","resource":{"uri":"file:///data/notes.bin","mimeType":"application/octet-stream","blob":"AAECAwQF"}}`
)

// contentModes return results that are more, or less, than one text.
func contentModes() []mode {
	return []mode{
		blocks("image-result", "one image block (1x1 png)", imageBlock),
		blocks("audio-result", "one audio block", audioBlock),
		blocks("resource-link", "one resource_link block", linkBlock),
		blocks("embedded-text", "one embedded text resource", textResource),
		blocks("embedded-blob", "one embedded blob resource", bytesResource),
		blocks("mixed-content", "text + image + resource_link + embedded + audio, in this order",
			textBlock, imageBlock, linkBlock, textResource, audioBlock),
		fixed("structured-only", "structuredContent with content: []", `{"content":[],"structuredContent":{"temperature":21.5,"unit":"C"}}`),
		fixed("structured-summary", "structuredContent holds the data, content only a summary",
			`{"content":[{"type":"text","text":"2 rows"}],"structuredContent":{"rows":[{"id":1},{"id":2}]}}`),
		fixed("structured-array", "structuredContent is an array", `{"content":[],"structuredContent":[1,2,3]}`),
		fixed("structured-scalar", "structuredContent is 42", `{"content":[],"structuredContent":42}`),
		blocks("empty-content", "content: []"),
		fixed("no-content", "result {}", `{}`),
		fixed("null-result", "result null", `null`),
		fixed("content-string", "content is a string, not an array", `{"content":"plain text"}`),
		fixed("is-error", "isError true with the reason in content",
			`{"content":[{"type":"text","text":"reason-marker-4713: no such customer"}],"isError":true}`),
		fixed("is-error-empty", "isError true, content []", `{"content":[],"isError":true}`),
		fixed("big-int", "structuredContent and text with 9007199254740993 and 9223372036854775807", bigResult),
	}
}

// blocks is a mode whose results have these content blocks.
func blocks(name, about string, content ...string) mode {
	return fixed(name, about, `{"content":[`+strings.Join(content, ",")+`]}`)
}

// argumentModes look at the arguments as they came.
func argumentModes() []mode {
	return []mode{{
		name: "strict-args", about: "tools/call answers -32602 unless arguments is a JSON object; replies with the raw arguments",
		on: onCall(func(s *server, m *message, _ func()) {
			raw := string(m.Params.Arguments)
			if !strings.HasPrefix(raw, "{") {
				s.fail(m, invalidParams, "arguments must be an object, got "+quote(raw))
				return
			}
			s.say(m, "raw "+raw)
		}),
	}}
}
