// Package open makes the model that an agent's configuration asks for. It is apart from package models so that whoever
// only needs the interface links no provider.
package open

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-supervisor/supervisor/models"
	"github.com/mcp-supervisor/supervisor/models/script"
)

// providers makes a model of a configuration, by the provider's name.
var providers = map[string]func(models.Config) (models.Model, error){
	"script": func(c models.Config) (models.Model, error) { return script.New(c.Options) },
}

// Open makes the model of a configuration. It opens no connection.
// Errors: [ProviderError], or the provider's own, such as script.Faults.
func Open(c models.Config) (models.Model, error) {
	open, ok := providers[c.Provider]
	if !ok {
		return nil, &ProviderError{Provider: c.Provider}
	}
	return open(c)
}

// ProviderError says that there is no such provider, or that none was named.
type ProviderError struct{ Provider string }

func (e *ProviderError) Error() string {
	supported := strings.Join(slices.Sorted(maps.Keys(providers)), ", ")
	if e.Provider == "" {
		return fmt.Sprintf("model.provider: missing; supported: %s (set `model: {provider: script, options: {turns: [...]}}`)", supported)
	}
	return fmt.Sprintf("model.provider: %q is not supported; supported: %s (set `provider: script` and its turns to run without a language model)",
		e.Provider, supported)
}
