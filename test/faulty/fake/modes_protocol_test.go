package fake

import (
	"fmt"
	"strings"
)

var protocolBehaviours = map[string]behaviour{
	"out-of-order": {"--n 3", func(p *process) {
		for range 3 {
			p.callEcho()
		}
		for _, id := range []int{3, 2, 1} {
			p.wantLine(fmt.Sprintf(`"id":%d`, id), hi)
		}
	}},
	"cross-talk": {"--n 9", func(p *process) {
		for range 2 {
			first, second := p.callEcho(), p.callEcho()
			p.wantLine(fmt.Sprintf(`"id":%d`, second))
			p.wantLine(fmt.Sprintf(`"id":%d`, first))
		}
	}},

	"error-odd": answers(`"error":{"code":"E_ODD"}`),
	"error-rpc": answers(`"error":{"code":-32603,"message":"reason-marker-4712`, `"data":{`),

	"proto-old":    handshake(`"protocolVersion":"2024-11-05"`),
	"proto-mid":    handshake(`"protocolVersion":"2025-03-26"`),
	"proto-future": handshake(`"protocolVersion":"2099-01-01"`),
	"init-error":   handshake(`"error":{"code":-32000,"message":"reason-marker-4714`),
	"proto-missing": {"", func(p *process) {
		if got := p.initialize(); strings.Contains(got, "protocolVersion") || !strings.Contains(got, "serverInfo") {
			p.t.Errorf("initialize = %s", got)
		}
	}},
	"strict-init": {"", func(p *process) {
		p.request("tools/list", "{}")
		p.wantLine(`"code":-32002`)
		p.next = 0
		p.initialize()
		p.echoes()
	}},
	"early-notification": {"", func(p *process) {
		p.request("initialize", "{}")
		p.wantLine(`"method":"notifications/message"`)
		p.wantLine(`"method":"notifications/tools/list_changed"`)
		p.wantLine(`"id":1`, "serverInfo")
	}},
	"request-before-init": {"", func(p *process) {
		p.request("initialize", "{}")
		p.wantLine(`"id":"early-1","method":"ping"`)
		p.send(`{"jsonrpc":"2.0","id":"early-1","result":{}}`)
		p.wantLine(`"id":"early-2","method":"roots/list"`)
		p.stillAnswersPing() // it waits for the reply before it answers initialize
		p.send(`{"jsonrpc":"2.0","id":"early-2","error":{"code":-32601,"message":"no"}}`)
		p.wantLine(`"id":1`, "serverInfo")
	}},

	"no-ping": {"", func(p *process) {
		p.request("ping", "{}")
		p.wantLine(`"code":-32601`)
		p.echoes()
	}},
	"ping-silent": {"", func(p *process) {
		p.request("ping", "{}")
		p.echoes()
	}},
	"server-ping":     asksFirst("ping", `"ask-1"`),
	"roots-request":   asksFirst("roots/list", `"ask-1"`),
	"unknown-request": asksFirst("x/unknown", `"ask-1"`),
	"same-id-request": asksFirst("ping", `1`),

	"progress": {"--n 3", func(p *process) {
		p.callEcho()
		for i := 1; i <= 3; i++ {
			p.wantLine("notifications/progress", fmt.Sprintf(`"progressToken":"tok","progress":%d,"total":3`, i))
		}
		p.wantLine(`"id":1`, hi)
		if got := p.call("echo", `{"text":"no token"}`); !strings.Contains(got, "no token") {
			p.t.Errorf("without a token: %s", got)
		}
	}},
	"progress-forever": {"", func(p *process) {
		p.callEcho()
		for i := range 3 {
			p.wantLine(fmt.Sprintf(`"progressToken":"tok","progress":%d`, i+1))
		}
	}},
	"progress-bogus": {"", func(p *process) {
		p.callEcho()
		p.wantLine(`"progressToken":"nobody"`)
		p.wantLine(`"progressToken":"tok","progress":2`)
		p.wantLine(`"progressToken":"tok","progress":1`)
		p.wantLine(`"id":1`, hi)
		p.wantLine(`"progressToken":"tok","progress":3`)
	}},
	"log-injection": {"", func(p *process) {
		p.callEcho()
		p.wantLine("notifications/message", `\u001b[31mforged`, "audit: outcome=ok")
		p.wantLine(`"id":1`, `\u001b[31mforged`, "audit: outcome=ok")
	}},
}

// handshake is a behaviour: initialize is answered so, whatever version was asked for.
func handshake(want string) behaviour {
	return behaviour{"", func(p *process) {
		p.t.Helper()
		if got := p.initialize(); !strings.Contains(got, want) {
			p.t.Errorf("initialize = %s, want %s in it", got, want)
		}
	}}
}

// asksFirst is a behaviour: a call is answered after the client has answered a request with that id, and the answer is
// in the result.
func asksFirst(method, id string) behaviour {
	return behaviour{"", func(p *process) {
		p.t.Helper()
		p.callEcho()
		p.wantLine(fmt.Sprintf(`"id":%s,"method":%q`, id, method))
		p.stillAnswersPing()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"said":"marker"}}`, id))
		p.wantLine(`"id":1`, hi, `client answered`, `\"said\":\"marker\"`)
	}}
}
