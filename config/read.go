package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The functions here read one value as one Go type. What is not there gives the default; what has the wrong type, or is
// out of range, is a fault and gives the default too, so that reading goes on and finds the next fault.

func (r *report) wrong(v value, expected string) {
	r.fault(v, "", "expected %s, found %s", expected, v.describe())
}

// str reads a string. A number or boolean is one only where a placeholder put it.
func (r *report) str(v value) string {
	if v.given() && v.kind != text {
		r.wrong(v, "a string")
		return ""
	}
	return v.text
}

// word reads any scalar as the text that was written: `PORT: 8080` is "8080".
func (r *report) word(v value) string {
	if !v.isScalar() {
		r.wrong(v, "a string")
		return ""
	}
	if strings.ContainsRune(v.text, 0) {
		r.fault(v, "", "holds a NUL character, which no argument, variable or header can")
	}
	return v.text
}

// bool reads a boolean, YAML 1.1's plain yes, no, on and off among them.
func (r *report) bool(v value, fallback bool) bool {
	v = v.typed()
	switch lower := strings.ToLower(v.text); {
	case v.unset():
		return fallback
	case v.kind == boolean:
		return v.scalar.(bool)
	case v.kind == text && (v.plain || v.raw != v.text) && slices.Contains([]string{"yes", "on", "no", "off"}, lower):
		return lower == "yes" || lower == "on"
	}
	r.wrong(v, "true or false")
	return fallback
}

// float reads a number from least to most.
func (r *report) float(v value, fallback, least, most float64) float64 {
	v = v.typed()
	if v.unset() {
		return fallback
	}
	f, ok := v.float()
	switch {
	case !ok:
		r.wrong(v, "a number")
	case !finite(f) || f < least || f > most:
		r.fault(v, "", "%s is out of range: expected %s", v.raw, between(least, most))
	default:
		return f
	}
	return fallback
}

// int reads a whole number of at least least.
func (r *report) int(v value, fallback, least int) int {
	v = v.typed()
	if f, ok := v.float(); ok && f != math.Trunc(f) {
		r.wrong(v, "a whole number")
		return fallback
	}
	return int(r.float(v, float64(fallback), float64(least), math.MaxInt32))
}

func (v value) float() (float64, bool) {
	switch n := v.scalar.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func between(least, most float64) string { return fmt.Sprintf("%.10g to %.10g", least, most) }

// maxDuration keeps sums of durations far from overflow.
const maxDuration = 10 * 365 * 24 * time.Hour

// duration reads a Go duration ("250ms") or a number of seconds, of at least least: 0, or 1 for more than 0.
func (r *report) duration(v value, fallback, least time.Duration) time.Duration {
	v = v.typed()
	if v.unset() {
		return fallback
	}
	d, err := time.Duration(0), error(nil)
	if f, ok := v.float(); ok && finite(f) && math.Abs(f) <= maxDuration.Seconds() {
		d = time.Duration(f * float64(time.Second))
	} else if ok {
		d = maxDuration + 1
	} else if v.kind != text {
		r.wrong(v, "a duration")
		return fallback
	} else if d, err = time.ParseDuration(v.text); err != nil {
		r.fault(v, `write it like "30s", "250ms" or "5m"`, "%s is not a duration", v.quote())
		return fallback
	}
	switch {
	case d > maxDuration:
		r.fault(v, "", "%s is out of range: expected at most ten years", v.raw)
	case d < least && least > 0:
		r.fault(v, "", "%s is out of range: expected more than 0", v.raw)
	case d < least:
		r.fault(v, "", "%s is out of range: expected 0 or more", v.raw)
	default:
		return d
	}
	return fallback
}

var byteSize = regexp.MustCompile(`^(\d{1,12})\s*([KMG]?)(i?)B?$`)

// maxSize keeps one message inside what a process can hold.
const maxSize = 1 << 30

// size reads a number of bytes, or a string with a unit: "64MiB" (powers of 1024) or "64MB" (powers of 1000).
func (r *report) size(v value, fallback int) int {
	v = v.typed()
	if v.unset() {
		return fallback
	}
	if v.kind != text {
		if n := r.int(v, fallback, 1); n <= maxSize {
			return n
		}
		r.fault(v, "", "%s is out of range: expected 1B to 1GiB", v.raw)
		return fallback
	}
	m := byteSize.FindStringSubmatch(v.text)
	if m == nil || m[2] == "" && m[3] != "" {
		r.fault(v, `write it like "64MiB"`, "%s is not a size", v.quote())
		return fallback
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	base := map[string]float64{"": 1000, "i": 1024}[m[3]]
	n *= math.Pow(base, float64(strings.Index("KMG", m[2])+len(m[2])))
	if n < 1 || n > maxSize {
		r.fault(v, "", "%s is out of range: expected 1B to 1GiB", v.raw)
		return fallback
	}
	return int(n)
}

// list reads a list.
func (r *report) list(v value) []value {
	if v.given() && v.kind != list {
		r.wrong(v, "a list")
	}
	return v.items
}

// fields reads a mapping.
func (r *report) fields(v value) []field {
	if v.given() && v.kind != mapping {
		r.wrong(v, "a mapping")
	}
	return v.fields
}

// strs reads a list of strings.
func (r *report) strs(v value) []string {
	var all []string
	for _, item := range r.list(v) {
		if item.kind != text {
			r.wrong(item, "a string")
			continue
		}
		all = append(all, item.text)
	}
	return all
}

// words reads a list of scalars as they were written.
func (r *report) words(v value) []string {
	var all []string
	for _, item := range r.list(v) {
		all = append(all, r.word(item))
	}
	return all
}

// wordMap reads a mapping of scalars as they were written.
func (r *report) wordMap(v value) map[string]string {
	var all map[string]string
	for _, f := range r.fields(v) {
		if all == nil {
			all = map[string]string{}
		}
		all[f.key] = r.word(f.value)
	}
	return all
}

// oneOf reads one of a few words.
func oneOf[T ~string](r *report, v value, fallback T, words ...T) T {
	s := r.str(v)
	if v.unset() || v.kind != text {
		return fallback
	}
	names := make([]string, len(words))
	for i, w := range words {
		if s == string(w) {
			return w
		}
		names[i] = string(w)
	}
	r.fault(v, didYouMean(v.raw, names), "%s is not one of %s", v.quote(), strings.Join(names, ", "))
	return fallback
}

// oneOfMap reads a mapping whose values are each one of a few words.
func oneOfMap[T ~string](r *report, v value, words ...T) map[string]T {
	var all map[string]T
	for _, f := range r.fields(v) {
		if !f.given() {
			r.wrong(f.value, "a string")
			continue
		}
		if all == nil {
			all = map[string]T{}
		}
		all[f.key] = oneOf(r, f.value, words[0], words...)
	}
	return all
}
