package supervision

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A script declares children and groups, and then tells events with the actions that must follow:
//
//	child a
//	child b temporary remote after a
//	group data rest_for_one a b
//	max_starts 2
//
//	needed b   -> open a, await b for a
//	1s crashed a -> open a!, ...
//	phases a=starting b=waiting
//	undeclare b
//
// A child is permanent, local and has the default rule but for the words behind its name. A duration before an event
// passes first. An exclamation mark is a charged restart. There is no jitter.
type script struct {
	t     *testing.T
	specs Specs
	past  History
	now   time.Time
	line  string
}

func play(t *testing.T, text string) {
	t.Helper()
	s := &script{t: t, now: t0}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			s.line = strings.TrimSpace(line)
			s.step(words)
		}
	}
	if err := s.specs.Check(); err != nil {
		t.Errorf("the script's specs: %v", err)
	}
}

func (s *script) step(words []string) {
	s.t.Helper()
	switch words[0] {
	case "child":
		s.specs.Children = append(s.specs.Children, s.child(words[1:]))
	case "group":
		s.specs.Groups = append(s.specs.Groups, s.group(words[1:]))
	case "max_starts":
		s.specs.MaxStarts = s.number(words[1])
	case "undeclare":
		s.undeclare(words[1])
	case "phases":
		s.phases(words[1:])
	case "used":
		s.used(words[1:])
	default:
		s.event(words)
	}
}

func (s *script) child(words []string) Spec {
	c := Spec{ID: words[0], Restart: DefaultRestart(), Local: true}
	for i := 1; i < len(words); i++ {
		switch word := words[i]; word {
		case "permanent", "transient", "temporary":
			c.Restart.Mode = Mode(word)
		case "remote":
			c.Local = false
		case "slowly":
			c.Restart.Backoff.First = time.Second
		case "max":
			i++
			c.Restart.MaxRestarts = s.number(words[i])
		case "after":
			c.DependsOn = words[i+1:]
			return c
		default:
			s.t.Fatalf("%s: no such word: %s", s.line, word)
		}
	}
	return c
}

func (s *script) group(words []string) Group {
	g := Group{Name: words[0], Strategy: Strategy(words[1]), Members: words[2:], MaxRestarts: 10, Within: time.Minute}
	if at := slices.Index(words, "max"); at > 0 {
		g.Members, g.MaxRestarts = words[2:at], s.number(words[at+1])
	}
	return g
}

var kinds = map[string]Event{
	"needed": {Kind: Needed}, "up": {Kind: Up}, "due": {Kind: Due}, "slow": {Kind: Slow}, "idle": {Kind: Idle},
	"ended": {Kind: Ended}, "crashed": {Kind: Ended, Abnormal: true}, "hopeless": {Kind: Ended, Abnormal: true, Hopeless: true},
	"denied": {Kind: Ended, Abnormal: true, Denied: true}, "busy": {Kind: Ended, Abnormal: true, NotBefore: 7 * time.Second},
	"stop": {Kind: StopAsked}, "start": {Kind: StartAsked}, "restart": {Kind: RestartAsked},
	"changed": {Kind: Changed}, "removed": {Kind: Removed},
}

func (s *script) event(words []string) {
	s.t.Helper()
	if pause, err := time.ParseDuration(words[0]); err == nil {
		s.now, words = s.now.Add(pause), words[1:]
	}
	e, ok := kinds[words[0]]
	if !ok {
		s.t.Fatalf("%s: no such event: %s", s.line, words[0])
	}
	e.Child = words[1]
	if e.Kind == Removed {
		s.undeclare(e.Child)
	}
	var actions []Action
	actions, s.past = Decide(s.specs, s.past, e, s.now, 0)
	_, want, _ := strings.Cut(s.line, "->")
	if got := tell(actions); got != strings.TrimSpace(want) {
		s.t.Errorf("%s\n\tgot -> %s", s.line, got)
	}
}

func (s *script) undeclare(id string) {
	s.specs.Children = slices.DeleteFunc(slices.Clone(s.specs.Children), func(c Spec) bool { return c.ID == id })
	s.specs.Groups = slices.Clone(s.specs.Groups)
	for i, g := range s.specs.Groups {
		s.specs.Groups[i].Members = slices.DeleteFunc(slices.Clone(g.Members), func(m string) bool { return m == id })
	}
}

func (s *script) phases(words []string) {
	s.t.Helper()
	for _, word := range words {
		id, want, _ := strings.Cut(word, "=")
		if got := s.past.Child(id).Phase.String(); got != want {
			s.t.Errorf("%s: %s is %s", s.line, id, got)
		}
	}
}

// used checks how much of budgets is used, of children and groups.
func (s *script) used(words []string) {
	s.t.Helper()
	for _, word := range words {
		name, want, _ := strings.Cut(word, "=")
		got := s.past.Child(name).Used(DefaultRestart(), s.now)
		if at := slices.IndexFunc(s.specs.Groups, func(g Group) bool { return g.Name == name }); at >= 0 {
			got = s.past.Used(s.specs.Groups[at], s.now)
		}
		if got != s.number(want) {
			s.t.Errorf("%s: %d restarts of %s count", s.line, got, name)
		}
	}
}

func (s *script) number(word string) int {
	s.t.Helper()
	n, err := strconv.Atoi(word)
	if err != nil {
		s.t.Fatalf("%s: %v", s.line, err)
	}
	return n
}

// tell writes actions as a script has them.
func tell(actions []Action) string {
	texts := make([]string, len(actions))
	for i, a := range actions {
		texts[i] = fmt.Sprintf("%s %s", a.Verb, a.Child)
		if a.Because != "" {
			texts[i] += " for " + a.Because
		}
		if a.Delay > 0 {
			texts[i] += " " + a.Delay.String()
		}
		if a.Charged {
			texts[i] += "!"
		}
	}
	return strings.Join(texts, ", ")
}

// scripts runs a table of them.
func scripts(t *testing.T, table map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(table)) {
		t.Run(name, func(t *testing.T) { play(t, table[name]) })
	}
}
