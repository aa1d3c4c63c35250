package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// listed is one tool as tools/list shows it.
type listed struct{ name, json string }

// tool is one base tool.
type tool struct {
	name, about, schema string
	reads               bool
	run                 func(s *server, m *message)
}

func baseTools() []tool {
	return []tool{
		{"echo", "says what it was given", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, true, echo},
		{"add", "adds two numbers", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`, true, add},
		{"sleep", "answers after some milliseconds", `{"type":"object","properties":{"ms":{"type":"integer"}},"required":["ms"]}`, true, sleep},
		{"write", "has a side effect", `{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]}`, false, write},
		{"env", "shows its environment", `{"type":"object","properties":{"name":{"type":"string"}}}`, true, env},
		{"info", "shows its process", `{"type":"object"}`, true, info},
		{"noargs", "takes nothing", `{"type":"object","properties":{}}`, true, func(s *server, m *message) { s.say(m, "no arguments") }},
		{"bigint", "returns integers that no float64 holds", `{"type":"object","properties":{}}`, true, bigint},
	}
}

// call runs a base tool. Any other tool answers with its own name and the server's.
func (s *server) call(m *message) {
	base := baseTools()
	i := slices.IndexFunc(base, func(t tool) bool { return t.name == m.Params.Name })
	if i < 0 {
		s.say(m, m.Params.Name+" of "+s.name)
		return
	}
	base[i].run(s, m)
}

// arguments decodes m's arguments into v; if they do not fit, it answers m and returns false.
func (s *server) arguments(m *message, v any) bool {
	if len(m.Params.Arguments) == 0 {
		return true
	}
	if err := json.Unmarshal(m.Params.Arguments, v); err != nil {
		s.fail(m, invalidParams, "arguments: "+err.Error())
		return false
	}
	return true
}

func echo(s *server, m *message) {
	var in struct{ Text string }
	if s.arguments(m, &in) {
		s.say(m, in.Text)
	}
}

func add(s *server, m *message) {
	var in struct{ A, B float64 }
	if s.arguments(m, &in) {
		s.say(m, fmt.Sprint(in.A+in.B))
	}
}

func sleep(s *server, m *message) {
	var in struct{ MS int }
	if !s.arguments(m, &in) {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.sleeping.Store(string(m.ID), cancel)
	s.beside(func() {
		defer s.sleeping.Delete(string(m.ID))
		select {
		case <-time.After(ms(in.MS)):
			s.say(m, fmt.Sprintf("slept %d ms", in.MS))
		case <-ctx.Done():
			s.logLine("sleep-stopped")
		}
	})
}

func write(s *server, m *message) {
	var in struct{ What string }
	if s.arguments(m, &in) {
		appendLine(s.ledger, strings.ReplaceAll(in.What, "\n", `\n`))
		s.say(m, "wrote "+in.What)
	}
}

func env(s *server, m *message) {
	var in struct{ Name string }
	if !s.arguments(m, &in) {
		return
	}
	value, set := os.LookupEnv(in.Name)
	switch {
	case in.Name == "":
		s.say(m, strings.Join(slices.Sorted(slices.Values(os.Environ())), "\n"))
	case set:
		s.say(m, in.Name+"="+value)
	default:
		s.say(m, in.Name+" is not set")
	}
}

func info(s *server, m *message) {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = err.Error()
	}
	s.say(m, encode(fields{
		"pid": os.Getpid(), "ppid": os.Getppid(), "cwd": cwd, "argv": os.Args, "starts": s.starts(), "name": s.name,
	}))
}

// bigResult is written by hand: the digits must be exactly these.
const bigResult = `{"content":[{"type":"text","text":"9007199254740993 9223372036854775807"}],"structuredContent":{"a":9007199254740993,"b":9223372036854775807}}`

func bigint(s *server, m *message) { s.result(m, bigResult) }

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }
