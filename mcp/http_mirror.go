package mcp

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// mirror repeats in headers what a message asks for, as the stateless protocol wants it: for those on the way that route
// by it and read no bodies.
func mirror(h http.Header, frame []byte) {
	in := scanner{b: frame}
	e, ok := in.envelope()
	if !ok || e.method == nil {
		return
	}
	method := text(e.method)
	h.Set("Mcp-Method", method)
	if method != "tools/call" {
		return
	}
	members(e.params, func(key, value []byte) {
		if string(key) == "name" {
			h.Set("Mcp-Name", headerValue(text(value)))
		}
	})
}

// headerValue writes text so that it fits into a header.
func headerValue(s string) string {
	odd := func(r rune) bool { return r < 0x20 || r > 0x7e }
	if strings.TrimSpace(s) == s && !strings.ContainsFunc(s, odd) && !strings.HasPrefix(s, "=?base64?") {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}
