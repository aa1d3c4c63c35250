package secrets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// MinMasked is the length in bytes below which values and lines of values are not masked.
const MinMasked = 4

// Remember masks a value from now on, as [masked:name]. A value that is known already keeps its first name.
func (k *Keeper) Remember(name, value string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed := false
	for _, s := range spellings(value) {
		if _, known := k.spelled[s]; !known {
			k.spelled[s] = "[masked:" + name + "]"
			changed = true
		}
	}
	if changed {
		k.mask.Store(replacer(k.spelled))
	}
}

// Mask replaces every remembered value in text. Of values that start at the same place the longest is masked.
func (k *Keeper) Mask(text string) string {
	r := k.mask.Load()
	if r == nil {
		return text
	}
	return r.Replace(text)
}

// replacer prefers longer values: a Replacer takes the first of its arguments that matches.
func replacer(spelled map[string]string) *strings.Replacer {
	longestFirst := slices.SortedFunc(maps.Keys(spelled), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(spelled))
	for _, s := range longestFirst {
		pairs = append(pairs, s, spelled[s])
	}
	return strings.NewReplacer(pairs...)
}

// spellings are the ways a value turns up in text: whole, by line, inside JSON, and inside a URL.
func spellings(value string) []string {
	candidates := []string{value, inJSON(value, true), inJSON(value, false), url.QueryEscape(value), url.PathEscape(value)}
	for line := range strings.Lines(value) {
		candidates = append(candidates, strings.TrimSpace(line))
	}
	return slices.DeleteFunc(candidates, func(s string) bool { return len(s) < MinMasked || strings.TrimSpace(s) == "" })
}

// inJSON is a value as it stands between the quotes of a JSON string. Encoders differ in whether they escape <, > and &.
func inJSON(value string, escapeHTML bool) string {
	quoted := quote(value, escapeHTML)
	return string(quoted[1 : len(quoted)-1])
}

func quote(value string, escapeHTML bool) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	if err := enc.Encode(value); err != nil { // a string always encodes
		panic("secrets.quote: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
