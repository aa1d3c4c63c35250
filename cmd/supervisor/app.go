package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/control"
)

// app is what all commands share: where they read and write, and the flags that every command takes.
type app struct {
	in       io.Reader
	out, err io.Writer

	workspace string // --workspace
	given     string // how this command line named the workspace, for hints; see named
	logLevel  string
	logFormat string
}

const about = `supervisor runs agents over MCP servers and keeps the servers running.

Every MCP server is a supervised process: when it dies it is replaced by rule. Every tool call passes one gate and leaves
its record in an audit log.

WORKSPACE is a folder with a workspace.yaml, or a .yaml file; the default is the current folder. --workspace does the same
for every command. Commands on one workspace share its servers: the first one owns them, the others ask it. "serve" is the
one that stays, and keeps the servers running for all others.

Exit codes: 0 ok, 1 tool error or audit problem, 2 usage or workspace fault, 3 denied, 4 server unavailable, 5 lost,
6 timeout, 7 cancelled, 8 overloaded, 9 interrupted or stopped, 10 internal error. A call that is interrupted was cancelled.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "supervisor",
		Short:         "Let it crash, for MCP",
		Long:          about,
		SilenceUsage:  true, // report says it in one line
		SilenceErrors: true,
		Version:       control.Version(),
	}
	root.SetVersionTemplate("supervisor {{.Version}}\n")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	flags := root.PersistentFlags()
	flags.StringVarP(&a.workspace, "workspace", "w", "", "the workspace's folder or file (default: the current folder)")
	flags.StringVar(&a.logLevel, "log-level", "error", "what is logged to stderr: debug, info, warn or error")
	flags.StringVar(&a.logFormat, "log-format", "console", "how it is logged: console or json")
	root.AddCommand(a.runCommand(), a.validateCommand(), a.toolsCommand(), a.callCommand(), a.auditCommand(),
		a.approvalsCommand(), a.policyCommand(),
		a.serveCommand(), a.statusCommand(), a.reloadCommand(), a.demoCommand(), a.chaosCommand(), a.demoServerCommand(),
		a.versionCommand())
	for _, v := range verbs {
		root.AddCommand(a.verbCommand(v))
	}
	for _, t := range turns {
		root.AddCommand(a.turnCommand(t))
	}
	helpfully(root)
	return root
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: a.command(func(*cobra.Command, []string) error {
			return a.print("supervisor " + control.Version())
		}),
	}
}

// path is what a command line names as workspace: its argument, or else --workspace, or else the current folder.
func (a *app) path(arg string) (string, error) {
	a.given = a.named(arg)
	switch {
	case arg != "" && a.workspace != "":
		return "", usage("the workspace is given twice: as %q and with --workspace %q", arg, a.workspace)
	case a.workspace != "":
		return a.workspace, nil
	case arg == "":
		return ".", nil
	}
	return arg, nil
}

// folder is the workspace's folder, for commands that must work on a workspace that does not load. It must look like
// one all the same: a mistyped path is not an empty audit log.
func (a *app) folder(arg string) (string, error) {
	path, err := a.path(arg)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", &exit{code: exitInvalid, err: err}
	}
	switch {
	case !info.IsDir() && !isYAML(path):
		return "", usage("%s is no workspace: it is neither a folder nor a .yaml file", path)
	case !info.IsDir():
		path = filepath.Dir(path)
	case !slices.ContainsFunc([]string{"workspace.yaml", "workspace.yml", ".supervisor"}, func(name string) bool { return isThere(path, name) }):
		return "", usage("%s is no workspace: it holds no workspace.yaml or workspace.yml, and no .supervisor", path)
	}
	return filepath.Abs(path)
}

func isYAML(path string) bool { return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)) }

func isThere(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

func (a *app) load(arg string) (*config.Workspace, error) {
	path, err := a.path(arg)
	if err != nil {
		return nil, err
	}
	ws, err := config.Load(path, config.Options{})
	if err != nil {
		return nil, &exit{code: exitInvalid, err: err}
	}
	return ws, nil
}

// print writes one text and a newline to stdout.
func (a *app) print(text string) error {
	if _, err := fmt.Fprintln(a.out, text); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// say writes one line for the person at the terminal to stderr, where nobody may be.
func (a *app) say(format string, args ...any) { _, _ = fmt.Fprintf(a.err, format+"\n", args...) }

// first is the only argument, or "".
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
