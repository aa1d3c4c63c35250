package secrets

import (
	"bytes"
	"encoding/json"
)

// MaskJSON masks inside a JSON document and keeps it valid: in strings, however their characters are escaped, in keys,
// and in numbers, which become strings then. What is not valid JSON becomes one masked JSON string.
//
// It returns raw itself, not a copy, when there is nothing to mask.
func (k *Keeper) MaskJSON(raw json.RawMessage) json.RawMessage {
	if k.mask.Load() == nil || len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return quote(k.Mask(string(raw)), false)
	}
	var out []byte // of raw[:copied], masked; nil until something is masked
	copied := 0
	for at := 0; at < len(raw); {
		end := tokenEnd(raw, at)
		if masked, changed := k.maskToken(raw[at:end]); changed {
			out = append(append(out, raw[copied:at]...), masked...)
			copied = end
		}
		at = end
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

// tokenEnd returns where the token at a place of valid JSON ends: a string, a number or name, or one other byte.
func tokenEnd(raw []byte, at int) int {
	if raw[at] != '"' {
		end := at
		for end < len(raw) && bytes.IndexByte([]byte(" \t\r\n,:[]{}\""), raw[end]) < 0 {
			end++
		}
		return max(end, at+1)
	}
	end := at + 1
	for raw[end] != '"' {
		if raw[end] == '\\' {
			end++
		}
		end++
	}
	return end + 1
}

func (k *Keeper) maskToken(token []byte) (masked []byte, changed bool) {
	text := string(token)
	if token[0] == '"' {
		if err := json.Unmarshal(token, &text); err != nil {
			return nil, false // not reached: the document is valid
		}
	}
	if clean := k.Mask(text); clean != text {
		return quote(clean, false), true
	}
	return nil, false
}
