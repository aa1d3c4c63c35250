package actors

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// shelf keeps what each server offered last, across runs, so that its tools can be named while it is down. The gate never
// decides by it: a call waits until the server says what it offers now.
type shelf struct{ dir string }

// put keeps a catalogue.
func (s shelf) put(server string, c *mcpspec.Catalogue) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	next := s.file(server) + ".next" // one session of a server lives at a time
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(next, s.file(server))
}

// get returns what a server offered last, as its rules expose it now, if that is known.
func (s shelf) get(server config.Server) offer {
	raw, err := os.ReadFile(s.file(server.ID))
	if err != nil {
		return offer{}
	}
	var c mcpspec.Catalogue
	if json.Unmarshal(raw, &c) != nil {
		return offer{} // half of a file is none
	}
	return newOffer(&c, server.Rules)
}

func (s shelf) file(server string) string { return filepath.Join(s.dir, server+".json") }

// remember puts a new session's catalogue on the shelf. Without it only the names of a server that is down are missing.
func (s *session) remember(c *mcpspec.Catalogue) {
	if err := s.env.shelf.put(s.declared.ID, c); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.env.send(s.instance, warned{Text: "what it offers is not kept for the next run: " + err.Error()})
	}
}

// recall is what a server offered last time; false when nobody knows, or its tools are hidden while it is down.
func (e *env) recall(server string) (catalogueKnown, bool) {
	declared, ok := e.ws().Server(server)
	if !ok || declared.CatalogWhenDown == config.CatalogHide {
		return catalogueKnown{}, false
	}
	c := e.shelf.get(declared)
	return catalogueKnown{Server: server, offer: c}, c.Catalogue != nil
}
