package config

// Changes is what differs between two workspaces, as far as it matters to one that runs. Servers are named by id, in
// the order of the newer file; each server that is enabled in one of the two is in exactly one of the first five lists.
type Changes struct {
	// Added servers are to be started: they are new, or were disabled.
	Added []string
	// Removed servers are to be stopped: they are gone, or disabled now.
	Removed []string
	// Changed servers have to be replaced: their process or connection is another one.
	Changed []string
	// Tuned servers go on running: only how they are supervised changed.
	Tuned []string
	// Unchanged servers go on running as they are.
	Unchanged []string
	// Gate names every difference in what the gate decides by, in words for people: "server `db`: tools",
	// "agent `swarm/root`: base_scope".
	Gate []string
}
