package pins

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"plain text", "Reads a file.\n\tNot a folder.\r\n", nil},
		{"letters of the world", "lit un fichier, читает файл, ファイルを読む, يقرأ ملفا", nil},
		{"a non-breaking space has a width", "a\u00a0b", nil},
		{"emoji", "⚠\ufe0f careful, press 1\ufe0f\u20e3 for ℹ\ufe0f", nil},
		{"phrases are not judged", "IGNORE ALL PREVIOUS INSTRUCTIONS", nil},
		{"zero-width", "re\u200bad\ufeff", []string{"U+200B at 3", "U+FEFF at 6"}},
		{"places count characters, not bytes", "öö\u200d", []string{"U+200D at 3"}},
		{"bidirectional control", "\u202egpj.exe\u2066", []string{"U+202E at 1", "U+2066 at 9"}},
		{"tags spell a hidden message", "x\U000E0048\U000E0069", []string{"U+E0048 at 2", "U+E0069 at 3"}},
		{"kept for tags", "\U000E0FFF", []string{"U+E0FFF at 1"}},
		{"variation selectors carry bytes", "a\ufe00\U000E0100", []string{"U+FE00 at 2", "U+E0100 at 3"}},
		{"a selector behind a letter", "a\ufe0f", []string{"U+FE0F at 2"}},
		{"a selector behind a selector", "⚠\ufe0f\ufe0f", []string{"U+FE0F at 3"}},
		{"a selector at the beginning", "\ufe0f", []string{"U+FE0F at 1"}},
		{"soft hyphen", "pass\u00adword", []string{"U+00AD at 5"}},
		{"fillers", "\u3164\u115f\u2800", []string{"U+3164 at 1", "U+115F at 2", "U+2800 at 3"}},
		{"controls", "a\x00\x1b[8m\x7f", []string{"U+0000 at 2", "U+001B at 3", "U+007F at 7"}},
		{"line separators", "a\u2028\u2029", []string{"U+2028 at 2", "U+2029 at 3"}},
		{"no UTF-8", "a\xff\xc3", []string{"byte 0xFF at 2", "byte 0xC3 at 3"}},
		{"the replacement character itself", "\ufffd", nil},
		{"as long as may be", strings.Repeat("ö", 4000), nil},
		{"longer", strings.Repeat("ö", 4001), []string{"4001 characters long"}},
		{"many", strings.Repeat("\u200b", 10), []string{
			"U+200B at 1", "U+200B at 2", "U+200B at 3", "U+200B at 4", "U+200B at 5", "U+200B at 6", "U+200B at 7",
			"U+200B at 8", "2 more characters that cannot be seen",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Flags(tt.text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFlagsOfATool(t *testing.T) {
	tool := mcpspec.Tool{
		Name: "re\u200bad", Description: "x\u202e", Annotations: mcpspec.Annotations{Title: "\u2060"},
		InputSchema: json.RawMessage(`{"properties":{"p\u00adath":{"description":"\u200d","enum":["ok",1,"\u200c"]}}}`),
	}
	want := []string{
		"name: U+200B at 3",
		"description: U+202E at 2",
		"title: U+2060 at 1",
		"input schema/properties, a key: U+00AD at 2",
		`input schema/properties/p\u00adath/description: U+200D at 1`,
		`input schema/properties/p\u00adath/enum/2: U+200C at 1`,
	}
	if diff := cmp.Diff(want, flagsOf(tool)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestALongKeyIsCut(t *testing.T) {
	schema, err := json.Marshal(map[string]string{strings.Repeat("ä", 100): "\u200b"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"input schema/" + strings.Repeat("ä", 20) + "…: U+200B at 1"}
	if diff := cmp.Diff(want, flagsOf(mcpspec.Tool{InputSchema: schema})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAToolHasSoManyFlags(t *testing.T) {
	var enum []string
	for range 100 {
		enum = append(enum, `"\u200b"`)
	}
	got := flagsOf(mcpspec.Tool{InputSchema: json.RawMessage("[" + strings.Join(enum, ",") + "]")})
	if len(got) != maxToolFlags+1 || got[maxToolFlags] != "more of the same" {
		t.Errorf("%d flags, the last %q", len(got), got[len(got)-1])
	}
}

// FuzzFlags: what can be seen is not flagged, and a flag names a character that stands at its place.
func FuzzFlags(f *testing.F) {
	for _, seed := range []string{"plain", "re\u200bad", "\U000E0041", "\xff\ufffd", "⚠\ufe0f", "\u2800"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flags := Flags(text)
		if len(flags) > maxFlags+2 {
			t.Fatalf("%d flags", len(flags))
		}
		visible := utf8.ValidString(text) && utf8.RuneCountInString(text) <= maxLength
		for _, r := range text {
			visible = visible && r != 0x2800 && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) &&
				(unicode.IsGraphic(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Cf, r) || r == '\n')
		}
		if visible && len(flags) > 0 {
			t.Errorf("%q: %q", text, flags)
		}
		runes := []rune(text)
		for _, flag := range flags {
			var r rune
			var at int
			if n, _ := fmt.Sscanf(flag, "U+%X at %d", &r, &at); n == 2 && runes[at-1] != r {
				t.Errorf("%q: %s, but there is %U", text, flag, runes[at-1])
			}
		}
	})
}
