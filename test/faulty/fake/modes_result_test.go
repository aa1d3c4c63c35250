package fake

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"strings"
	"testing"
)

var resultBehaviours = map[string]behaviour{
	"image-result":       answers(`"content":[{"type":"image","data":"iVBOR`, `"mimeType":"image/png"}]`),
	"audio-result":       answers(`"content":[{"type":"audio","data":"UklGR`, `"mimeType":"audio/wav"}]`),
	"resource-link":      answers(`"content":[{"type":"resource_link"`, `"uri":"file:///`, `"name":`, `"mimeType":`),
	"embedded-text":      answers(`"content":[{"type":"resource","resource":{`, `"text":"embedded notes"`),
	"embedded-blob":      answers(`"content":[{"type":"resource","resource":{`, `"blob":"`),
	"structured-only":    answers(`"content":[],"structuredContent":{"temperature":21.5`),
	"structured-summary": answers(`"text":"2 rows"`, `"structuredContent":{"rows":[`),
	"structured-array":   answers(`"structuredContent":[1,2,3]}`),
	"structured-scalar":  answers(`"structuredContent":42}`),
	"empty-content":      answers(`"result":{"content":[]}}`),
	"no-content":         answers(`"result":{}}`),
	"null-result":        answers(`"result":null}`),
	"content-string":     answers(`"result":{"content":"plain text"}}`),
	"is-error":           answers(`reason-marker-4713`, `"isError":true}`),
	"is-error-empty":     answers(`"result":{"content":[],"isError":true}}`),
	"big-int":            answers(`"text":"9007199254740993 9223372036854775807"`, `{"a":9007199254740993,"b":9223372036854775807}`),
	"mixed-content": {"", func(p *process) {
		p.callEcho()
		line, at := p.wantLine(`"id":1`), 0
		for _, kind := range []string{"text", "image", "resource_link", "resource", "audio"} {
			next := strings.Index(line[at:], fmt.Sprintf(`"type":%q`, kind))
			if next < 0 {
				p.t.Fatalf("%s is missing or out of order in %s", kind, line)
			}
			at += next
		}
	}},
	"strict-args": {"", func(p *process) {
		for _, bad := range []string{`null`, `[]`, `"x"`} {
			if got := p.call("noargs", bad); !strings.Contains(got, `"code":-32602`) {
				p.t.Errorf("arguments %s: %s", bad, got)
			}
		}
		p.request("tools/call", `{"name":"noargs"}`)
		p.wantLine(`"code":-32602`)
		if got := p.call("noargs", `{"a":9007199254740993, "b" : null}`); !strings.Contains(got, `raw {\"a\":9007199254740993, \"b\" : null}`) {
			p.t.Errorf("arguments came as %s", got)
		}
	}},
}

func TestMediaAreReal(t *testing.T) {
	data := func(block string) []byte {
		_, rest, _ := strings.Cut(block, `"data":"`)
		encoded, _, _ := strings.Cut(rest, `"`)
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	if img, err := png.Decode(bytes.NewReader(data(imageBlock))); err != nil || img.Bounds().Dx() != 1 || img.Bounds().Dy() != 1 {
		t.Errorf("the image: %v, %v", img, err)
	}
	if wav := data(audioBlock); string(wav[:4]) != "RIFF" || string(wav[8:12]) != "WAVE" || int(wav[4])+8 != len(wav) {
		t.Errorf("the audio: %x", wav)
	}
}
