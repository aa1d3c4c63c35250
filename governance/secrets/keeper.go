package secrets

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Keeper hands out the values of credentials and masks them everywhere else.
type Keeper struct {
	provider Provider
	refs     atomic.Pointer[map[string]Reference]

	mu      sync.Mutex // guards spelled
	spelled map[string]string
	mask    atomic.Pointer[strings.Replacer] // nil until there is something to mask
}

// NewKeeper makes a keeper for the declared credentials. Nothing is resolved yet.
func NewKeeper(refs []Reference, p Provider) *Keeper {
	k := &Keeper{provider: p, spelled: map[string]string{}}
	k.Declare(refs)
	return k
}

// Declare replaces the declared credentials. Values that were resolved before stay masked. Safe for concurrent use.
func (k *Keeper) Declare(refs []Reference) {
	byName := make(map[string]Reference, len(refs))
	for _, r := range refs {
		byName[r.Name] = r
	}
	k.refs.Store(&byName)
}

// Value resolves a credential, anew each time, and masks its value from now on.
// Errors: an undeclared name, or what the provider says.
func (k *Keeper) Value(ctx context.Context, name string) (string, error) {
	ref, ok := (*k.refs.Load())[name]
	if !ok {
		return "", fmt.Errorf("credential %q is not declared; %s", name, k.declared())
	}
	value, err := k.provider.Resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	k.Remember(name, value)
	return value, nil
}

func (k *Keeper) declared() string {
	refs := *k.refs.Load()
	if len(refs) == 0 {
		return "add it to the workspace's credentials"
	}
	return "declared are " + strings.Join(slices.Sorted(maps.Keys(refs)), ", ")
}

var placeholder = regexp.MustCompile(`\{credential\.([^{}]+)\}`)

// Expand replaces each {credential.NAME} in text by the credential's value, once: a value is never expanded itself.
// Errors are those of [Keeper.Value]; the text is then not expanded at all.
func (k *Keeper) Expand(ctx context.Context, text string) (string, error) {
	var out strings.Builder
	end := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		value, err := k.Value(ctx, text[m[2]:m[3]])
		if err != nil {
			return "", err
		}
		out.WriteString(text[end:m[0]])
		out.WriteString(value)
		end = m[1]
	}
	return out.String() + text[end:], nil
}
