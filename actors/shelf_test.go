package actors

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/mcp-supervisor/supervisor/config"
)

// TestToolsOfAServerThatIsDownAreThoseItHadLast runs a workspace twice; the second time the server does not start.
func TestToolsOfAServerThatIsDownAreThoseItHadLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, func(s *config.Server) { s.Restart.MaxRestarts = 0 })
		first := startFake(t, ws, &fakeServer{})
		before, err := first.Tools(context.Background(), ToolsQuery{})
		if err != nil || len(before.Tools) != 2 || before.Tools[0].Stale {
			t.Fatalf("%+v, %v", before, err)
		}
		stop(t, first)

		second := startFake(t, ws, &fakeServer{start: func(context.Context, int) error { return failStart("gone") }})
		after, err := second.Tools(context.Background(), ToolsQuery{})
		if err != nil || len(after.Down) != 1 || len(after.Tools) != 2 {
			t.Fatalf("%+v, %v", after, err)
		}
		for n, tool := range after.Tools {
			if !tool.Stale || tool.Name != before.Tools[n].Name || tool.Hash != before.Tools[n].Hash {
				t.Errorf("%+v, before %+v", tool, before.Tools[n])
			}
		}
	})
}

func TestABrokenMemoryIsNone(t *testing.T) {
	s := shelf{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(s.dir, "s.json"), []byte(`{"Tools": [{"Na`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.get(config.Server{}).Catalogue; got != nil {
		t.Errorf("got %v", got)
	}
	ws := oneServer(t, nil)
	if got := s.get(ws.Servers[0]).Catalogue; got != nil {
		t.Errorf("got %v", got)
	}
}
