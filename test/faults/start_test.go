package faults

import (
	"testing"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestAServerThatBehaves(t *testing.T) {
	r := start(t, `- {id: fake, command: `+fakeCommand("--mode", "ok")+`}`)
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
}
