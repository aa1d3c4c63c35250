package pins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mcp-supervisor/supervisor/governance/exact"
)

// ParseError says what is wrong with a lock file, on which line, and what to do.
type ParseError struct {
	Line      int // from 1
	What, Fix string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%s:%d: %s; %s", FileName, e.Line, e.What, e.Fix)
}

const (
	restore = "restore the file from version control, or delete it and approve the tools again"
	repin   = "remove the tool's entry and approve the tool again"
	oneOf   = "keep one of them"
)

// Parse reads a lock file. An empty file is no lock: a lock without tools has a version.
//
// Errors are *[ParseError], the first fault of the file.
func Parse(raw []byte) (*Lock, error) {
	p := parser{raw: raw}
	if line := conflict(raw); line > 0 {
		return nil, &ParseError{
			line, "a merge conflict is left here",
			"keep the entries of both sides, and of one tool the entry that was reviewed last",
		}
	}
	if !utf8.Valid(raw) {
		return nil, &ParseError{1, "not UTF-8 text", restore}
	}
	members, err := p.object(exact.Member{Value: raw}, "the file", restore)
	if err != nil {
		return nil, err
	}
	return p.lock(members)
}

// conflict returns the line of the first mark that a merge left; 0 when there is none.
func conflict(raw []byte) int {
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(line, []byte(mark)) {
				return number
			}
		}
	}
	return 0
}

type parser struct{ raw []byte }

func (p parser) fault(offset int, what, fix string) error {
	return &ParseError{1 + bytes.Count(p.raw[:min(offset, len(p.raw))], []byte("\n")), what, fix}
}

// object returns the members of m's value, with their offsets in the file.
func (p parser) object(m exact.Member, what, fix string) ([]exact.Member, error) {
	members, err := exact.Members(m.Value)
	var fault *exact.FaultError
	if errors.As(err, &fault) {
		return nil, p.fault(m.Offset+fault.Offset, what+": "+fault.What, fix)
	}
	for i := range members {
		members[i].Offset += m.Offset
	}
	return members, err
}

func (p parser) lock(members []exact.Member) (*Lock, error) {
	if err := p.version(members); err != nil {
		return nil, err
	}
	l := &Lock{servers: map[string]map[string]Pin{}}
	for _, m := range members {
		switch m.Name {
		case "about", "version":
		case "servers":
			if err := p.servers(l, m); err != nil {
				return nil, err
			}
		default:
			l.extra = append(l.extra, m)
		}
	}
	l.extra = keep(l.extra)
	return l, nil
}

// version is looked at first: another format means other things by the same names.
func (p parser) version(members []exact.Member) error {
	for _, m := range members {
		if m.Name != "version" {
			continue
		}
		if string(m.Value) != fmt.Sprint(version) {
			what := fmt.Sprintf("version %.20s is not known here, only %d is", m.Value, version)
			return p.fault(m.Offset, what, "use the release that wrote the file")
		}
		return nil
	}
	return p.fault(0, "the version is missing", restore)
}

func (p parser) servers(l *Lock, m exact.Member) error {
	servers, err := p.object(m, "servers", oneOf)
	if err != nil {
		return err
	}
	for _, server := range servers {
		tools, err := p.object(server, fmt.Sprintf("server %q", server.Name), oneOf)
		if err != nil {
			return err
		}
		pins := make(map[string]Pin, len(tools))
		for _, tool := range tools {
			if pins[tool.Name], err = p.pin(server.Name, tool); err != nil {
				return err
			}
		}
		l.servers[server.Name] = pins
	}
	return nil
}

func (p parser) pin(server string, m exact.Member) (Pin, error) {
	what := fmt.Sprintf("tool %q of server %q", m.Name, server)
	members, err := p.object(m, what, repin)
	if err != nil {
		return Pin{}, err
	}
	var pin Pin
	for _, f := range members {
		known, err := pin.set(f)
		if err != nil {
			return Pin{}, p.fault(f.Offset, fmt.Sprintf("%s: %s %v", what, f.Name, err), repin)
		}
		if !known {
			pin.extra = append(pin.extra, f)
		}
	}
	if pin.Hash == "" {
		return Pin{}, p.fault(m.Offset, what+": the hash is missing", repin)
	}
	pin.extra = keep(pin.extra)
	return pin, nil
}

var (
	errNotText  = errors.New("must be a string")
	errNotTexts = errors.New("must be a list of strings")
)

// set takes one field over; known is false for a field of a newer version.
func (p *Pin) set(m exact.Member) (known bool, err error) {
	if m.Name == "flags" {
		if m.Value[0] != '[' || json.Unmarshal(m.Value, &p.Flags) != nil {
			return true, errNotTexts
		}
		if len(p.Flags) == 0 {
			p.Flags = nil
		}
		return true, nil
	}
	for _, f := range p.texts() {
		if f.name != m.Name {
			continue
		}
		if m.Value[0] != '"' || json.Unmarshal(m.Value, f.value) != nil {
			return true, errNotText
		}
		return true, nil
	}
	return false, nil
}
