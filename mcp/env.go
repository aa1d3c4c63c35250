package mcp

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// What a server sees of our environment. Everything else may be a secret of ours and needs to be given by name in the
// workspace. A star stands for any ending.
var (
	passed = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_*", "XDG_*", "SSL_CERT_*",
		"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
	}
	passedOnWindows = []string{
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT",
		"TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
	}
)

// environment is what a server gets: the allowed part of ours, then own, which wins. It is sorted.
func environment(ours []string, own map[string]string, goos string) []string {
	vars := map[string]string{}
	for _, entry := range ours {
		if name, value, ok := strings.Cut(entry, "="); ok && allowed(name, goos) {
			vars[name] = value
		}
	}
	for name, value := range own {
		if goos == "windows" { // names differ in case only by looks there
			for other := range vars {
				if strings.EqualFold(other, name) {
					delete(vars, other)
				}
			}
		}
		vars[name] = value
	}
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func allowed(name, goos string) bool {
	if goos == "windows" {
		name = strings.ToUpper(name)
		if slices.Contains(passedOnWindows, name) {
			return true
		}
	}
	return slices.ContainsFunc(passed, func(pattern string) bool {
		prefix, star := strings.CutSuffix(pattern, "*")
		return name == pattern || star && strings.HasPrefix(name, prefix)
	})
}

// lookup returns the value of a variable in env, the last one that is set.
func lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if n, value, ok := strings.Cut(entry, "="); ok && (n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)) {
			return value
		}
	}
	return ""
}

func serverEnvironment(own map[string]string) []string {
	return environment(os.Environ(), own, runtime.GOOS)
}
