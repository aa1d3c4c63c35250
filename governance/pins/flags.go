package pins

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxLength is the length, in characters, from which a text is flagged: about two screens, more than a reviewer
	// reads of one tool, while a model reads all of it.
	maxLength = 4000
	// maxFlags bounds the flags of one text: a hidden message has one for each of its letters.
	maxFlags = 8
)

// Flags names what somebody who reads a text does not see: characters without a shape (zero-width, bidirectional
// controls, tags, variation selectors, fillers, control characters but tab and line feed), bytes that are no UTF-8, and
// a length that nobody reads to its end. Each flag names a code point and its place, counted in characters from 1:
// "U+200B at 12". There are at most 8 of them and one that counts the rest.
//
// A flag is no verdict. Persian, Hindi and some emoji need a joiner, which is flagged; phrases are not looked at. The
// one exception is a variation selector behind a symbol: that is how emoji are written.
func Flags(text string) []string {
	var flags []string
	at, found := 0, 0
	previous := rune(-1)
	for i, r := range text {
		at++
		if flag := flagOf(r, previous, text[i:]); flag != "" {
			if found++; found <= maxFlags {
				flags = append(flags, fmt.Sprintf("%s at %d", flag, at))
			}
		}
		previous = r
	}
	if found > maxFlags {
		flags = append(flags, fmt.Sprintf("%d more characters that cannot be seen", found-maxFlags))
	}
	if at > maxLength {
		flags = append(flags, fmt.Sprintf("%d characters long", at))
	}
	return flags
}

// flagOf names what is hidden at the beginning of rest, or "".
func flagOf(r, previous rune, rest string) string {
	switch {
	case r == utf8.RuneError:
		if _, size := utf8.DecodeRuneInString(rest); size == 1 {
			return fmt.Sprintf("byte 0x%02X", rest[0])
		}
		return ""
	case r == '\n' || r == '\t' || r == '\r' || isEmoji(previous, r):
		return ""
	case hidden(r):
		return fmt.Sprintf("%U", r)
	}
	return ""
}

// isEmoji: U+FE0E and U+FE0F choose between text and picture, if they stand behind a character that has both.
func isEmoji(previous, r rune) bool {
	if r != 0xFE0E && r != 0xFE0F {
		return false
	}
	return unicode.IsSymbol(previous) || strings.ContainsRune("0123456789#*‼⁉ℹ〰〽", previous)
}

// hidden reports that a character has no shape of its own.
func hidden(r rune) bool {
	return unicode.IsOneOf(shapeless, r) || tagsFrom <= r && r <= tagsTo || r == brailleBlank
}

var shapeless = []*unicode.RangeTable{
	unicode.Cc, // controls
	unicode.Cf, // formats: zero-width, bidirectional, tags, soft hyphen
	unicode.Zl, unicode.Zp,
	unicode.Variation_Selector,
	unicode.Other_Default_Ignorable_Code_Point, // fillers, and code points that are kept for invisible ones
}

const (
	// The block of tags and what Unicode keeps free for more of their kind.
	tagsFrom, tagsTo = 0xE0000, 0xE0FFF
	// A braille pattern without dots is a letter by its class and a blank by its looks.
	brailleBlank = 0x2800
)
