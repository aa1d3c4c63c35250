// Command supervisor runs swarms of agents over supervised MCP servers: "let it crash, for MCP".
//
// It is wiring only: flags, signals, exit codes and what a terminal shows. What it does is in the packages it calls.
package main

import (
	"context"
	"os"
)

func main() { os.Exit(run(os.Args...)) }

// run carries out one command line and returns its exit code.
func run(args ...string) int {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	root := a.root()
	root.SetArgs(args[1:])
	return a.report(root.ExecuteContext(context.Background()))
}
