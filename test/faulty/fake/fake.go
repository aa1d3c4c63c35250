package fake

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// Exit codes of its own.
const (
	exitUsage = 64 // sysexits' EX_USAGE: no mode exits with it unless told to by --code
	exitBug   = 70 // EX_SOFTWARE
)

// Main is the whole program: it serves on stdin and stdout, or over HTTP until a signal, as args say and returns the exit code. Many modes end the
// process from inside it.
func Main(args []string) int {
	opt, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, "faulty:", err)
		return exitUsage
	case opt.list:
		for _, m := range catalogue() {
			fmt.Printf("%-20s %s\n", m.name, m.about)
		}
		return 0
	}
	if opt.http != "" {
		return serveHTTP(opt)
	}
	return newServer(opt).serve()
}
