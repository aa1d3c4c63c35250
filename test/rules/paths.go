package rules

import (
	"bytes"
	"fmt"
	"regexp"
)

// machinePath is an absolute path that exists on one machine only. What comes before the slash keeps relative paths and
// variables ("a/work/b", "$HOME/work") out of it.
var machinePath = regexp.MustCompile(`(?:^|[^\w./~$}*<-])(/(?:work|root)/)`)

// MachinePaths lists the lines of a file that name a path of the machine it was written on.
func MachinePaths(file string, text []byte) []string {
	var faults []string
	for i, line := range bytes.Split(text, []byte("\n")) {
		if m := machinePath.FindSubmatch(line); m != nil {
			faults = append(faults, fmt.Sprintf("%s:%d: %s... is a path of one machine; make it relative", file, i+1, m[1]))
		}
	}
	return faults
}
