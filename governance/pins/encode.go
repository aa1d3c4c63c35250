package pins

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/mcp-supervisor/supervisor/governance/exact"
)

// version is the format that is written, and the only one that is read.
const version = 1

const about = "Tools as they were approved. Commit this file, and look at its changes as you would at code: " +
	"a tool whose hash changed is not the one that was reviewed."

// Encode writes the lock as the file's text: equal locks give equal bytes, and what cannot be seen is escaped.
func (l *Lock) Encode() []byte {
	servers := object{}
	for _, server := range l.Servers() {
		tools := object{}
		for _, tool := range l.Tools(server) {
			tools.add(tool, l.servers[server][tool].encode())
		}
		servers.add(server, tools.bytes())
	}
	file := object{}
	file.add("about", exact.Quote(about))
	file.add("version", fmt.Append(nil, version))
	file.add("servers", servers.bytes())
	file.addAll(l.extra)
	return layout(file.bytes())
}

func (p Pin) encode() []byte {
	pin := object{}
	for _, f := range p.texts() {
		pin.add(f.name, exact.Quote(*f.value))
	}
	if len(p.Flags) > 0 {
		var flags [][]byte
		for _, flag := range p.Flags {
			flags = append(flags, exact.Quote(flag))
		}
		pin.add("flags", slices.Concat([]byte("["), bytes.Join(flags, []byte(",")), []byte("]")))
	}
	pin.addAll(p.extra)
	return pin.bytes()
}

// field is a field of a pin that holds a text.
type field struct {
	name  string
	value *string
}

// texts are the fields in the order of the file; it is what Parse and Encode have in common.
func (p *Pin) texts() []field {
	return []field{
		{"hash", &p.Hash},
		{"description", &p.Description},
		{"description_digest", &p.DescriptionDigest},
		{"schema_digest", &p.SchemaDigest},
		{"annotations_digest", &p.AnnotationsDigest},
	}
}

// object is a JSON object that keeps the order in which its members are added.
type object struct{ members [][]byte }

func (o *object) add(name string, value []byte) {
	o.members = append(o.members, slices.Concat(exact.Quote(name), []byte(":"), value))
}

func (o *object) addAll(members []exact.Member) {
	for _, m := range members {
		o.add(m.Name, m.Value)
	}
}

func (o *object) bytes() []byte {
	return slices.Concat([]byte("{"), bytes.Join(o.members, []byte(",")), []byte("}"))
}

// layout gives each field a line of its own.
func layout(raw []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, escape(raw), "", "  "); err != nil { // all parts were valid JSON
		panic("pins.layout: " + err.Error())
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// escape spells hidden characters out, wherever they stand: outside of texts valid JSON has none but white space.
func escape(raw []byte) []byte {
	var out strings.Builder
	for _, r := range string(raw) {
		switch {
		case r < ' ' || !hidden(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return []byte(out.String())
}

// keep prepares what this version does not know for being written again as it is, but for its white space.
func keep(members []exact.Member) []exact.Member {
	slices.SortFunc(members, func(a, b exact.Member) int { return strings.Compare(a.Name, b.Name) })
	for i, m := range members {
		var compact bytes.Buffer
		if err := json.Compact(&compact, m.Value); err != nil { // the value was read from valid JSON
			panic("pins.keep: " + err.Error())
		}
		members[i] = exact.Member{Name: m.Name, Value: escape(compact.Bytes())}
	}
	return members
}
