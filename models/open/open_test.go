package open

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcp-supervisor/supervisor/models"
	"github.com/mcp-supervisor/supervisor/models/script"
)

func TestOpen(t *testing.T) {
	m, err := Open(models.Config{Provider: "script", Options: map[string]any{"turns": []any{map[string]any{"text": "hi"}}}})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := m.Next(t.Context(), models.Request{})
	if err != nil || turn.Text != "hi" {
		t.Errorf("got %+v, %v", turn, err)
	}
}

func TestOpenSaysWhatIsSupported(t *testing.T) {
	for provider, want := range map[string]string{
		"":          "model.provider: missing; supported: script (",
		"anthropic": `model.provider: "anthropic" is not supported; supported: script (`,
		"Script":    `model.provider: "Script" is not supported; supported: script (`,
	} {
		_, err := Open(models.Config{Provider: provider})
		var unknown *ProviderError
		if !errors.As(err, &unknown) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Open(%q): %v", provider, err)
		}
	}
}

func TestOpenHandsOnFaults(t *testing.T) {
	_, err := Open(models.Config{Provider: "script"})
	var faults script.Faults
	if !errors.As(err, &faults) {
		t.Errorf("got %v, want script.Faults", err)
	}
}
