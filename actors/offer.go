package actors

import (
	"reflect"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// offer is what a server offers: as it said it, and as the gate needs it under the rules the workspace has for it. It is
// immutable.
type offer struct {
	Offered   *mcpspec.Catalogue
	Rules     gov.Server
	Catalogue *governance.Catalogue
}

func newOffer(c *mcpspec.Catalogue, rules gov.Server) offer {
	return offer{Offered: c, Rules: rules, Catalogue: governance.NewCatalogue(c, rules)}
}

// under is the same offer under other rules.
func (o offer) under(rules gov.Server) offer {
	if o.Catalogue == nil || reflect.DeepEqual(o.Rules, rules) {
		return o
	}
	return newOffer(o.Offered, rules)
}

// rulesIn are the rules a workspace has for a server.
func rulesIn(ws *config.Workspace, server string) gov.Server {
	declared, _ := ws.Server(server)
	return declared.Rules
}
