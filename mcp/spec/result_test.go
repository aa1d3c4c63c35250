package spec

import (
	"encoding/json"
	"testing"
)

func TestText(t *testing.T) {
	tests := []struct{ name, result, want string }{
		{"text blocks in order", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\nb"},
		{"a text that looks empty is a text", `{"content":[{"type":"text","text":"{}"}]}`, "{}"},
		{"structured content where there is no text", `{"content":[],"structuredContent":{"n":9007199254740993}}`, `{"n":9007199254740993}`},
		{"text before structured content", `{"content":[{"type":"text","text":"sum"}],"structuredContent":42}`, "sum"},
		{"an image is a placeholder, never base64", `{"content":[{"type":"image","mimeType":"image/png","data":"aaaa"}]}`, "[image: image/png, 3 bytes]"},
		{"a link keeps uri, name and type", `{"content":[{"type":"resource_link","uri":"file:///a","name":"a","mimeType":"text/plain"}]}`, "[link: file:///a a text/plain]"},
		{"an embedded text is text", `{"content":[{"type":"resource","resource":{"uri":"x:y","text":"inside"}}]}`, "inside"},
		{"an embedded blob is a placeholder", `{"content":[{"type":"resource","resource":{"uri":"x:y","mimeType":"a/b","blob":"aaaa"}}]}`, "[resource x:y: a/b, 3 bytes]"},
		{"an unknown block is shown as it is", `{"content":[{"type":"hologram","x":1}]}`, `{"type":"hologram","x":1}`},
		{"content that is a string", `{"content":"plain"}`, "plain"},
		{"no content", `{}`, NoOutput},
		{"empty content", `{"content":[]}`, NoOutput},
		{"null", `null`, NoOutput},
		{"no object", `[1,2]`, "[1,2]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(json.RawMessage(tt.result)); got != tt.want {
				t.Errorf("Text(%s) = %q, want %q", tt.result, got, tt.want)
			}
		})
	}
}

func TestIsError(t *testing.T) {
	for result, want := range map[string]bool{
		`{"content":[],"isError":true}`: true, `{"content":[],"isError":false}`: false, `{"content":[]}`: false,
		`{"content":[{"type":"text","text":"\"isError\":true"}]}`: false, `{"isError":"yes"}`: false,
	} {
		if got := IsError(json.RawMessage(result)); got != want {
			t.Errorf("IsError(%s) = %v", result, got)
		}
	}
}
