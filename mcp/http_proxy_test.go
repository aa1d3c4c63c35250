//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"testing"
)

// net/http reads the proxies from the environment once, so a process of its own does.
func TestProxyFromTheEnvironment(t *testing.T) {
	const child = "HTTP_PROXY_TEST_CHILD"
	if os.Getenv(child) != "" {
		s := openHTTP(t, httpServer("http://mcp.invalid/mcp"), &notes{})
		if r := echo(t, s, ""); r.Err != nil {
			t.Error(r.Err)
		}
		return
	}
	proxy := newFakeHTTP(t, raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`))
	cmd := exec.Command(os.Args[0], "-test.run=^TestProxyFromTheEnvironment$")
	cmd.Env = append(os.Environ(), child+"=1", "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if proxy.requests("POST /mcp") == 0 || proxy.requests("tools/call") != 1 {
		t.Error(proxy.log)
	}
}
