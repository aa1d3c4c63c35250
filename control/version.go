package control

import (
	"fmt"
	"runtime/debug"
)

// Protocol is the number of the control API that this build speaks. It changes when an older peer would misunderstand.
const Protocol = 1

// Version names this build as the Go toolchain recorded it: a module version, or "devel", with the revision when known.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if version != "devel" || revision == "" {
		return version
	}
	if settings["vcs.modified"] == "true" {
		return fmt.Sprintf("%s-%.12s-modified", version, revision)
	}
	return fmt.Sprintf("%s-%.12s", version, revision)
}
