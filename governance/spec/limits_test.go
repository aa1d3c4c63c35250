package spec

import "testing"

func TestRateCovers(t *testing.T) {
	for _, c := range []struct {
		name string
		rate Rate
		want bool
	}{
		{"every call", Rate{}, true},
		{"the agent, of whatever topology", Rate{Agent: "reader"}, true},
		{"the agent of its topology", Rate{Agent: "swarm/reader"}, true},
		{"the agent of another topology", Rate{Agent: "other/reader"}, false},
		{"another agent", Rate{Agent: "writer"}, false},
		{"a topology is no agent", Rate{Agent: "swarm"}, false},
		{"the server", Rate{Server: "db"}, true},
		{"another server", Rate{Server: "DB"}, false},
		{"the tool, of whatever server", Rate{Tool: "get"}, true},
		{"all three", Rate{Agent: "reader", Server: "db", Tool: "get"}, true},
		{"all but the tool", Rate{Agent: "reader", Server: "db", Tool: "put"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.rate.Covers("swarm", "reader", "db", "get"); got != c.want {
				t.Errorf("Covers = %v", got)
			}
		})
	}
}
