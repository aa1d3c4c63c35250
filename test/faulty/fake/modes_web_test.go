package fake

import (
	"strings"
	"testing"
	"time"
)

// webBehaviours are what the modes of HTTP do.
var webBehaviours = map[string]func(*browser){
	"stateless": func(b *browser) {
		if b.initialize(); b.session != "" {
			b.t.Errorf("session %q", b.session)
		}
		b.want(b.post(echoText), 200, echoedText)
		b.want(b.do("GET", b.url, ""), 405, "")
		b.want(b.do("DELETE", b.url, ""), 405, "")
	},
	"session-404": func(b *browser) {
		calls(200, echoedText)(b)
		b.want(b.post(echoText), 404, "Session not found")
		b.want(b.post(pingText), 404, "Session not found")
		calls(200, echoedText)(b)
	},
	"session-32001": func(b *browser) {
		calls(200, echoedText)(b)
		b.want(b.post(echoText), 200, `"code":-32001`)
		calls(200, echoedText)(b)
	},
	"session-404-always": func(b *browser) {
		calls(404, "Session not found")(b)
		calls(404, "Session not found")(b)
	},
	"session-changes": func(b *browser) {
		b.initialize()
		for range 2 {
			a := b.post(echoText)
			if b.want(a, 200, echoedText); a.header.Get("Mcp-Session-Id") != "another-session" {
				b.t.Errorf("header: %v", a.header)
			}
		}
	},
	"session-odd-id": func(b *browser) {
		if b.initialize(); !strings.HasSuffix(b.session, "!#$%&*+.^_|~") {
			b.t.Errorf("session %q", b.session)
		}
		b.want(b.post(echoText), 200, echoedText)
	},
	"strict-proto": func(b *browser) {
		calls(400, "MCP-Protocol-Version")(b)
		b.want(b.post(echoText, "Mcp-Protocol-Version: 2024-11-05"), 400, "MCP-Protocol-Version")
		b.want(b.post(echoText, "Mcp-Protocol-Version: 2025-06-18"), 200, echoedText)
	},
	"strict-accept": func(b *browser) {
		everything(406, "")(b)
		b.want(b.post(initText, "Accept: application/json"), 406, "")
		b.want(b.post(initText, "Accept: application/json, text/event-stream"), 200, "protocolVersion")
	},
	"strict-order": func(b *browser) {
		calls(400, "not initialized")(b)
		b.want(b.post(readyText), 202, "")
		b.want(b.post(echoText), 200, echoedText)
	},
	"set-cookie": func(b *browser) {
		calls(404, "node")(b)
		b.want(b.post(echoText, "Cookie: lb=node-1"), 200, echoedText)
	},
	"gzip": func(b *browser) {
		calls(200, echoedText)(b)
		if a := b.post(echoText, "Accept-Encoding: gzip"); unzip(b.t, a.body) != echoedText+"\n" {
			b.t.Errorf("%+v", a)
		}
	},
	"get-list-changed": func(b *browser) {
		calls(200, echoedText)(b)
		if got := <-b.listen(); !strings.Contains(got, "notifications/tools/list_changed") {
			b.t.Errorf("on the stream: %q", got)
		}
		b.want(b.post(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`), 200, `"added"`)
	},
	"200-get-json": gets(200, "{}"),
	"get-once": func(b *browser) {
		b.initialize()
		if a := b.do("GET", b.url, ""); a.status != 200 || a.err == nil {
			b.t.Errorf("%+v", a)
		}
		gets(405, "")(b)
	},
	"get-breaks": func(b *browser) {
		b.initialize()
		for range 2 {
			if a := b.do("GET", b.url, ""); a.status != 200 || a.err == nil {
				b.t.Errorf("%+v", a)
			}
		}
	},
	"get-hang":    hangs("GET", ""),
	"401-get":     gets(401, ""),
	"404-get":     gets(404, ""),
	"405-get":     gets(405, ""),
	"406-get":     gets(406, ""),
	"500-get":     gets(500, ""),
	"401-bare":    everything(401, ""),
	"403-bare":    everything(403, "<html>"),
	"401-after-n": func(b *browser) { calls(200, echoedText)(b); b.want(b.post(pingText), 401, ""); everything(401, "")(b) },
	"401": func(b *browser) {
		ask := b.post(initText).header.Get("WWW-Authenticate")
		metadata := strings.TrimSuffix(strings.TrimPrefix(ask, `Bearer resource_metadata="`), `"`)
		b.want(b.do("GET", metadata, ""), 200, "authorization_servers")
	},
	"403-scope": func(b *browser) {
		calls(403, "")(b)
		if ask := b.post(echoText).header.Get("WWW-Authenticate"); !strings.Contains(ask, `scope="files:write"`) {
			b.t.Errorf("WWW-Authenticate: %s", ask)
		}
	},
	"sse-only":          olds(405),
	"sse-only-404":      olds(404),
	"sse-only-400":      olds(400),
	"sse-late-endpoint": olds(405),
	"sse-cross":         olds(405),
	"sse-auth-both": func(b *browser) {
		b.want(b.do("GET", b.url, ""), 401, "")
		b.want(b.do("POST", strings.Replace(b.url, "/sse", "/messages?session=1", 1), echoText), 401, "")
		olds(405, "Authorization: Bearer t")(b)
	},
	"redirect-301": redirects(301),
	"redirect-302": redirects(302),
	"redirect-307": redirects(307),
	"redirect-308": redirects(308),
	"redirect-loop": func(b *browser) {
		if to := b.post(initText).header.Get("Location"); to != "/mcp" {
			b.t.Errorf("leads to %q", to)
		}
	},
	"redirect-cross": func(b *browser) {
		a := b.post(initText)
		if b.want(a, 307, ""); a.header.Get("Location") != "http://127.0.0.1:4711/mcp" {
			b.t.Errorf("leads to %q", a.header.Get("Location"))
		}
	},
	"trailing-slash": func(b *browser) {
		everything(404, "<html>")(b)
		b.want(b.do("POST", b.url+"/", initText), 200, "protocolVersion")
	},
	"drop-mid-stream": func(b *browser) {
		breaks("id: event-1")(b)
		b.want(b.do("GET", b.url, "", "Last-Event-ID: event-1"), 200, echoedText)
	},
	"drop-retry": func(b *browser) {
		breaks("retry: 300\n")(b)
		b.want(b.do("GET", b.url, "", "Last-Event-ID: event-1"), 425, "")
		eventually(b.t, "the answer is there", func() bool {
			return strings.Contains(b.do("GET", b.url, "", "Last-Event-ID: event-1").body, echoedText)
		})
	},
	"drop-no-id": breaks(": hello"),
	"drop-clean": func(b *browser) {
		b.initialize()
		if a := b.post(echoText); a.body != "" || a.err != nil || a.header.Get("Content-Type") != "text/event-stream" {
			b.t.Errorf("%+v", a)
		}
	},
	"drop-mid-body": breaks(`{"jsonrpc"`),
	"reset":         breaks(""),
	"slow": func(b *browser) {
		began := time.Now()
		if everything(200, "protocolVersion")(b); time.Since(began) < 300*time.Millisecond {
			b.t.Errorf("it took %s", time.Since(began))
		}
	},
	"blackhole":      hangs("POST", initText),
	"blackhole-call": hangs("POST", echoText),
	"hang-sse-call": func(b *browser) {
		b.initialize()
		a := b.doFor(500*time.Millisecond, "POST", b.url, echoText)
		if a.err == nil || strings.Count(a.body, ": still here") < 2 || strings.Contains(a.body, "data") {
			b.t.Errorf("%+v", a)
		}
	},
	"keepalive": func(b *browser) {
		b.initialize()
		if a := b.post(echoText); strings.Count(a.body, ": still here") < 3 || !strings.Contains(a.body, "data: "+echoedText) {
			b.t.Errorf("%+v", a)
		}
	},
	"huge":       calls(200, longText),
	"huge-sse":   calls(200, longText),
	"ct-charset": typed("application/json; charset=utf-8"),
	"ct-case":    typed("Application/JSON"),
	"ct-text":    typed("text/plain"),
	"ct-missing": typed(""),
	"html-200":   everything(200, "Please log in"),
	"413":        calls(413, ""),
	"html-502":   calls(502, "<html>"),
	"500-json":   calls(500, "reason-marker-4721"),
	"503-retry": func(b *browser) {
		if a := b.post(initText); a.status != 503 || a.header.Get("Retry-After") != "1" {
			b.t.Errorf("%+v", a)
		}
		calls(200, echoedText)(b)
	},
	"429-retry":   func(b *browser) { calls(429, "")(b); b.want(b.post(echoText), 200, echoedText) },
	"202-request": calls(202, ""),
	"204-notify":  func(b *browser) { b.initialize(); b.want(b.post(readyText), 204, "") },
	"200-notify":  func(b *browser) { b.initialize(); b.want(b.post(readyText), 200, "{}") },
	"notify-error": func(b *browser) {
		b.initialize()
		b.want(b.post(readyText), 500, "")
		b.want(b.post(echoText), 200, echoedText)
	},
	"concurrency-1": func(b *browser) {
		b.initialize()
		long := make(chan answer)
		spawn(func() {
			long <- b.post(strings.Replace(echoText, `"echo","arguments":{"text":"hi"}`, `"sleep","arguments":{"ms":300}`, 1))
		})
		eventually(b.t, "the second is refused", func() bool { return b.post(echoText).status == 409 })
		b.want(<-long, 200, "slept")
		b.want(b.post(echoText), 200, echoedText)
	},
}

// webOptions are for modes whose default numbers take long.
var webOptions = map[string]string{
	"sse-late-endpoint": "--ms 200", "sse-cross": "--port2 4711", "redirect-cross": "--port2 4711", "drop-retry": "--ms 300",
	"slow": "--ms 300", "keepalive": "--ms 200",
}

func TestWebModes(t *testing.T) {
	for mode, shows := range webBehaviours {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			shows(browse(t, append([]string{"--mode", mode}, strings.Fields(webOptions[mode])...)...))
		})
	}
}
