package control

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	modified := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for name, c := range map[string]struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		"a released module":         {version: "v1.2.3", settings: []debug.BuildSetting{revision}, want: "v1.2.3"},
		"a build without a module":  {want: "devel"},
		"a clone":                   {version: "(devel)", settings: []debug.BuildSetting{revision}, want: "devel-0123456789ab"},
		"a clone with local change": {version: "(devel)", settings: []debug.BuildSetting{revision, modified}, want: "devel-0123456789ab-modified"},
	} {
		t.Run(name, func(t *testing.T) {
			info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
			if got := versionOf(info); got != c.want {
				t.Errorf("versionOf = %q, want %q", got, c.want)
			}
		})
	}
}
