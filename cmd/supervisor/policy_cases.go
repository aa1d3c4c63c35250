package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

func (a *app) policyTestCommand() *cobra.Command {
	var given []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "test FILE...",
		Short: "Run the cases of policy test files",
		Long: `Run the cases of policy test files, and print of each whether the policies say what it wants. Nothing is started.

The policies are those that --policies names; else those of the workspace (--workspace, or the one whose folder the file lies
in); else those of NAME.cedar beside NAME_test.yaml.

Exit codes: 0 when all cases are as wanted; 1 when one is not; 2 for faults in the files.`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.command(func(_ *cobra.Command, files []string) error {
			var results []caseResult
			for _, file := range files {
				cases, err := config.PolicyCases(file)
				if err != nil {
					return &exit{code: exitInvalid, err: err}
				}
				set, err := a.policiesFor(file, given)
				if err != nil {
					return &exit{code: exitInvalid, err: err}
				}
				results = append(results, runCases(file, set, cases)...)
			}
			return a.printCases(results, asJSON)
		}),
	}
	c.Flags().StringArrayVar(&given, "policies", nil, "test the policies of this file; may be given several times")
	c.Flags().BoolVar(&asJSON, "json", false, "print each case as one line of JSON")
	return c
}

// policiesFor are the policies that a test file is about.
func (a *app) policiesFor(file string, given []string) (*policy.Set, error) {
	if len(given) > 0 {
		return readPolicies(given...)
	}
	path := orElse(a.workspace, workspaceOf(file))
	beside := strings.TrimSuffix(strings.TrimSuffix(file, filepath.Ext(file)), "_test") + ".cedar"
	if path == "" {
		return readPolicies(beside)
	}
	ws, err := config.Load(path, config.Options{})
	if err != nil {
		return nil, err
	}
	set, err := policiesOf(ws)
	if set == nil && err == nil {
		return nil, fmt.Errorf("%s has no policies to test; name a file with --policies", ws.File)
	}
	return set, err
}

// workspaceOf is the nearest folder above a file that holds a workspace; "" when there is none.
func workspaceOf(file string) string {
	folder, err := filepath.Abs(file)
	for above := filepath.Dir(folder); err == nil && above != folder; above = filepath.Dir(folder) {
		if folder = above; isThere(folder, "workspace.yaml") || isThere(folder, "workspace.yml") {
			return folder
		}
	}
	return ""
}

func readPolicies(names ...string) (*policy.Set, error) {
	var files []policy.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the policies: %w", err)
		}
		files = append(files, policy.File{Name: filepath.ToSlash(name), Text: text})
	}
	return policy.Load(files)
}

// runCases runs the cases of one file.
func runCases(file string, set *policy.Set, cases []config.PolicyCase) []caseResult {
	var run []policy.Case
	for _, c := range cases {
		run = append(run, policyCase(c))
	}
	var results []caseResult
	for i, r := range set.Run(run) {
		results = append(results, caseResult{
			File: file, Line: cases[i].Line, Name: r.Name, OK: r.OK, Want: cases[i].Want, Got: r.Got, Rule: r.Verdict.Rule, Why: r.Why,
		})
	}
	return results
}

// policyCase is a case as the engine takes it. A permit is implied where the gate implies one: for reads on a cautious
// server, and for the person at the keyboard.
func policyCase(c config.PolicyCase) policy.Case {
	operator := c.Topology == "" && c.Agent == gov.Operator
	return policy.Case{
		Name: c.Name,
		Request: policy.Request{
			Agent: policy.Agent{
				Topology: c.Topology, ID: c.Agent, Role: c.Role, Groups: slices.Clone(c.Groups), Trust: c.Trust, Operator: operator,
			},
			Server: c.Server, ServerTags: c.Tags, Tool: c.Tool, Effect: c.Effect, Annotations: c.Annotations, Arguments: c.Arguments,
			Now: c.Time, Tier: c.Tier, Counts: policy.Counts{Agent: c.AgentCalls, Run: c.RunCalls, Denied: c.Denied},
			Implicit: operator || c.Effect == gov.Read && c.Tier == gov.Cautious,
		},
		Want: policy.Want{Decision: c.Want, Rule: c.Rule, Redact: c.Redact},
	}
}

// caseResult is how one case went; its JSON form is what `policy test --json` prints.
type caseResult struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Want string `json:"want"`
	Got  string `json:"got"`
	Rule string `json:"rule"`
	Why  string `json:"why,omitempty"`
}

func (a *app) printCases(results []caseResult, asJSON bool) error {
	failed := 0
	for _, r := range results {
		line := "ok    " + oneLine(r.File+": "+r.Name)
		if !r.OK {
			failed++
			line = "FAIL  " + oneLine(fmt.Sprintf("%s:%d: %s: %s", r.File, r.Line, r.Name, r.Why))
		}
		var err error
		if asJSON {
			err = writeJSON(a.out, r)
		} else {
			err = a.print(line)
		}
		if err != nil {
			return fmt.Errorf("write the output: %w", err)
		}
	}
	if failed > 0 {
		return &exit{code: exitProblems, err: fmt.Errorf("%d of %s failed", failed, count(len(results), "case"))}
	}
	return nil
}
