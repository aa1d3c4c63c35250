package secrets

import (
	"net/url"
	"regexp"
	"strings"
)

// telling are parts of names whose values are secret; short ones only count as a whole word.
var (
	telling = regexp.MustCompile(`(?i)TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTHORIZATION|COOKIE`)
	short   = regexp.MustCompile(`(?i)(^|[^A-Z])(AUTH|PASS|PWD|PAT|SIG)($|[^A-Z])`)
)

// Sensitive reports whether a name of an environment variable, header, flag or query parameter says that its value is a
// secret. It rather says yes once too often.
func Sensitive(key string) bool { return telling.MatchString(key) || short.MatchString(key) }

// RememberPairs masks the values of the sensitive names among environment variables or headers. In "Bearer x" the x is
// masked by itself too.
func (k *Keeper) RememberPairs(pairs map[string]string) {
	for name, value := range pairs {
		if !Sensitive(name) {
			k.RememberURL(name, value)
			continue
		}
		k.Remember(name, value)
		if _, secret, found := strings.Cut(value, " "); found {
			k.Remember(name, strings.TrimSpace(secret))
		}
	}
}

// RememberArgs masks values of sensitive flags and assignments in an argument vector: --token x, --token=x, TOKEN=x,
// and secrets in URLs.
func (k *Keeper) RememberArgs(argv []string) {
	for i, arg := range argv {
		name, value, assigned := strings.Cut(arg, "=")
		flag := strings.HasPrefix(arg, "-")
		switch {
		case assigned && Sensitive(name) && !strings.Contains(name, "://"):
			k.Remember(strings.TrimLeft(name, "-"), value)
		case flag && !assigned && Sensitive(arg) && i+1 < len(argv):
			k.Remember(strings.TrimLeft(arg, "-"), argv[i+1])
		default:
			k.RememberURL("url", arg)
			k.RememberURL("url", value)
		}
	}
}

// RememberURL masks the password (or, without one, the user) and the sensitive query parameters of a URL. A text that is
// no URL is left alone.
func (k *Keeper) RememberURL(name, text string) {
	if !strings.Contains(text, "://") {
		return
	}
	u, err := url.Parse(text)
	if err != nil {
		return
	}
	if password, has := u.User.Password(); has {
		k.Remember(name, password)
	} else if user := u.User.Username(); user != "" {
		k.Remember(name, user)
	}
	for key, values := range u.Query() {
		if Sensitive(key) {
			for _, v := range values {
				k.Remember(key, v)
			}
		}
	}
}
