package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// helpfully makes all commands below c name their own --help when the command line is wrong, and `help` of an unknown
// command an error. cobra's own help prints the usage then, and succeeds.
func helpfully(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return wrongUse(c, err) })
	c.InitDefaultHelpCmd()
	if help, _, err := c.Find([]string{"help"}); err == nil {
		help.Run, help.RunE = nil, func(help *cobra.Command, args []string) error { return helpOn(help.Root(), args) }
	}
	nameTheirHelp(c.Commands())
}

func nameTheirHelp(commands []*cobra.Command) {
	for _, c := range commands {
		if check := c.Args; check != nil {
			c.Args = func(c *cobra.Command, args []string) error {
				if err := check(c, args); err != nil {
					return wrongUse(c, err)
				}
				return nil
			}
		}
		nameTheirHelp(c.Commands())
	}
}

func wrongUse(c *cobra.Command, err error) error {
	return usage("%s; see %s --help", oneLine(err.Error()), c.CommandPath())
}

func helpOn(root *cobra.Command, args []string) error {
	found, rest, err := root.Find(args)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown command %q for %q", rest[0], found.CommandPath())
	}
	if err != nil {
		return wrongUse(root, err)
	}
	found.InitDefaultHelpFlag() // as cobra does, so that it is listed
	return found.Help()
}

// filled checks that no flag of these was given without a value: an empty variable of a shell must not widen what a
// command does.
func filled(c *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if f := c.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return usage("--%s is empty; leave it out, or give it a value", name)
		}
	}
	return nil
}
