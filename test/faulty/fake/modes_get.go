package fake

import (
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// getModes do odd things on the optional GET stream.
func getModes() []mode {
	var opened atomic.Bool
	changed := changes("get-list-changed", "http: the first tools/call changes the list and says so on the GET stream", true, otherTools)
	modes := []mode{
		changed,
		{
			name: "200-get-json", about: "http: GET gives 200 application/json {}",
			web: onGet(func(x *exchange, _ func()) { x.json("{}") }),
		},
		{
			name: "get-once", about: "http: the first GET works and is cut after 200 ms; later GETs are 405",
			web: onGet(func(x *exchange, _ func()) {
				if opened.Swap(true) {
					x.w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				x.stream()
				x.wait(200)
				x.cut()
			}),
		},
		{
			name: "get-breaks", about: "http: every GET stream is cut at once",
			web: onGet(func(x *exchange, _ func()) { x.stream(); x.cut() }),
		},
		{
			name: "get-hang", about: "http: GET is never answered (no headers)",
			web: onGet(func(x *exchange, _ func()) { x.hang() }),
		},
	}
	for _, status := range []int{401, 404, 405, 406, 500} {
		code := strconv.Itoa(status)
		modes = append(modes, mode{
			name: code + "-get", about: "http: GET gives " + code,
			web: onGet(func(x *exchange, _ func()) { x.refuse(status, "text/plain", "no stream") }),
		})
	}
	return modes
}

// compressed gzips what next writes.
func compressed(x *exchange, next func()) {
	if !strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip") {
		next()
		return
	}
	plain := x.w
	plain.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(plain)
	x.w = zipped{plain, z}
	next()
	_ = z.Close()
}

// zipped is a response whose body is compressed.
type zipped struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (z zipped) Write(p []byte) (int, error) { return z.z.Write(p) }
