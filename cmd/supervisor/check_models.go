package main

import (
	"errors"
	"fmt"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/models/open"
	"github.com/mcp-supervisor/supervisor/models/script"
)

// checkModels opens the model of every agent. What is wrong with a script is a fault; a provider that we do not have
// is a warning, because the rest of the workspace can be used without it.
func checkModels(ws *config.Workspace) (faults, warnings config.Faults) {
	for _, a := range ws.Agents() {
		_, err := open.Open(a.Model)
		at := config.Fault{File: ws.Topologies[a.Topology].File, Field: fmt.Sprintf("agent %q", a.ID)}
		var unsupported *open.ProviderError
		var wrong script.Faults
		switch {
		case err == nil:
		case errors.As(err, &unsupported):
			at.Message = "declared, not run: " + err.Error()
			warnings = append(warnings, at)
		case errors.As(err, &wrong):
			for _, f := range wrong {
				faults = append(faults, config.Fault{
					File: at.File, Field: at.Field + ": model.options." + f.Field, Message: f.Message, Fix: f.Fix,
				})
			}
		default:
			at.Message = err.Error()
			faults = append(faults, at)
		}
	}
	return faults, warnings
}
