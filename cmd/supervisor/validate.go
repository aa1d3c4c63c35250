package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/config"
)

// verdict is what `validate --json` prints.
type verdict struct {
	Valid    bool          `json:"valid"`
	Faults   config.Faults `json:"faults"`
	Warnings config.Faults `json:"warnings"`
}

func (a *app) validateCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "validate [WORKSPACE]",
		Short: "Check a workspace's files and list everything that is wrong",
		Long: `Check a workspace's files, its policies, and the scripts of its agents, without starting anything. All faults are listed at
once, each with file, line and what to do. Whether policies name what exists is for "supervisor policy check".

Exit codes: 0 when the workspace can be used, warnings or not; 2 when it has faults.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(_ *cobra.Command, args []string) error {
			path, err := a.path(first(args))
			if err != nil {
				return err
			}
			ws, err := config.Load(path, config.Options{})
			v, err := judge(ws, err)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(a.out, v)
			} else {
				err = a.printVerdict(ws, v)
			}
			if err == nil && !v.Valid {
				return &exit{code: exitInvalid}
			}
			return err
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print {valid, faults, warnings} as one JSON object")
	return c
}

// judge makes a verdict of a load. The error is one that says nothing about the workspace.
func judge(ws *config.Workspace, err error) (verdict, error) {
	v := verdict{Faults: config.Faults{}, Warnings: config.Faults{}}
	switch {
	case errors.As(err, &v.Faults):
		return v, nil
	case err != nil:
		return v, err
	}
	faults, warnings := checkModels(ws)
	v.Faults = append(append(v.Faults, faults...), checkPolicies(ws)...)
	v.Warnings = append(append(v.Warnings, ws.Warnings...), warnings...)
	v.Valid = len(v.Faults) == 0
	return v, nil
}

func (a *app) printVerdict(ws *config.Workspace, v verdict) error {
	var lines []string
	for _, f := range v.Faults {
		lines = append(lines, "error: "+f.String())
	}
	for _, w := range v.Warnings {
		lines = append(lines, "warning: "+w.String())
	}
	if v.Valid {
		lines = append(lines, fmt.Sprintf("%s is valid: %s, %s, %s; %s", ws.File,
			count(len(ws.Servers), "server"), count(len(ws.Skills), "skill"), topologies(ws), count(len(v.Warnings), "warning")))
	} else {
		lines = append(lines, count(len(v.Faults), "fault"))
	}
	for _, line := range lines {
		if err := a.print(printable(line)); err != nil {
			return err
		}
	}
	return nil
}

func topologies(ws *config.Workspace) string {
	if len(ws.Topologies) == 1 {
		return "1 topology"
	}
	return fmt.Sprintf("%d topologies", len(ws.Topologies))
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
