package fake

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// numbers are the options that modes give a default to.
type numbers struct{ n, ms, size, code int }

// options are the command line.
type options struct {
	numbers
	modes []mode
	// Files that are appended to; empty means none.
	pidfile, log, ledger, state string
	name                        string
	tools                       []string
	// http is the loopback address to serve HTTP on instead of stdin and stdout; empty for none.
	http  string
	port2 int
	list  bool
}

func parse(args []string) (options, error) {
	var opt options
	var names, tools string
	flags := flag.NewFlagSet("faulty", flag.ContinueOnError)
	flags.StringVar(&names, "mode", "ok", "comma-separated `modes`, see --list")
	flags.IntVar(&opt.n, "n", 0, "how many; the mode says of what")
	flags.IntVar(&opt.ms, "ms", 0, "milliseconds")
	flags.IntVar(&opt.size, "size", 0, "bytes")
	flags.IntVar(&opt.code, "code", 0, "exit code")
	flags.StringVar(&opt.pidfile, "pidfile", "", "`file` that gets a line \"role pid ppid\" for each process")
	flags.StringVar(&opt.log, "log", "", "`file` that gets each message received, and EOF, SIGTERM, sleep-stopped")
	flags.StringVar(&opt.ledger, "ledger", "", "`file` that gets a line for each side effect of tool write")
	flags.StringVar(&opt.state, "state", "", "`file` that gets a line for each start")
	flags.StringVar(&opt.name, "name", "faulty", "the server's name")
	flags.StringVar(&tools, "tools", "", "comma-separated tool names to list instead of the base tools")
	flags.StringVar(&opt.http, "http", "", "serve HTTP on this loopback `address` (:0 picks a port) and print the URL")
	flags.IntVar(&opt.port2, "port2", 0, "the other `port` that redirect-cross leads to")
	flags.BoolVar(&opt.list, "list", false, "print the modes and exit")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	opt.tools = split(tools)
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	err := opt.choose(split(names), given)
	return opt, err
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// choose looks the modes up. A number that was not given is the first mode's that has one.
func (o *options) choose(names []string, given map[string]bool) error {
	known := catalogue()
	for _, name := range names {
		i := slices.IndexFunc(known, func(m mode) bool { return m.name == name })
		if i < 0 {
			return fmt.Errorf("unknown mode %q; --list prints the modes", name)
		}
		o.modes = append(o.modes, known[i])
	}
	for _, m := range slices.Backward(o.modes) {
		for name, number := range map[string][2]*int{
			"n": {&o.n, &m.numbers.n}, "ms": {&o.ms, &m.numbers.ms}, "size": {&o.size, &m.numbers.size}, "code": {&o.code, &m.numbers.code},
		} {
			if value := *number[1]; value != 0 && !given[name] {
				*number[0] = value
			}
		}
	}
	return nil
}

// argv is a command line that parses to o, with other modes.
func (o options) argv(modes []string) []string {
	return []string{
		"--mode", strings.Join(modes, ","), "--name", o.name, "--tools", strings.Join(o.tools, ","),
		"--n", strconv.Itoa(o.n), "--ms", strconv.Itoa(o.ms), "--size", strconv.Itoa(o.size), "--code", strconv.Itoa(o.code),
		"--pidfile", o.pidfile, "--log", o.log, "--ledger", o.ledger, "--state", o.state,
	}
}
