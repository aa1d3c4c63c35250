package policy

import (
	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// shape is what an entity or the context has, by attribute.
type shape map[string]attribute

// attribute is one attribute of a shape.
type attribute struct {
	kind kind
	// optional: missing where it is not known.
	optional bool
	// oneOf are all values that a string can have; nil for any.
	oneOf []string
	// members is the shape of a record.
	members shape
}

// kind is the type of an attribute.
type kind string

const (
	kindString   kind = "string"
	kindLong     kind = "long"
	kindBool     kind = "boolean"
	kindDecimal  kind = "decimal"
	kindDatetime kind = "datetime"
	kindStrings  kind = "set of strings"
	kindRecord   kind = "record"
)

var roles = []string{"root", "leader", "worker"}

// shapes are what rules may read, by variable. The property test of the schema holds them against real requests.
var shapes = map[string]shape{
	"principal": {
		"topology": {kind: kindString},
		"id":       {kind: kindString},
		"role":     {kind: kindString, oneOf: append([]string{""}, roles...)},
		"operator": {kind: kindBool},
		"trust":    {kind: kindDecimal},
	},
	"action": {},
	"resource": {
		"name":        {kind: kindString},
		"server":      {kind: kindString},
		"effect":      {kind: kindString, oneOf: []string{string(spec.Read), string(spec.Write)}},
		"tags":        {kind: kindStrings},
		"read_only":   {kind: kindBool, optional: true},
		"destructive": {kind: kindBool, optional: true},
		"idempotent":  {kind: kindBool, optional: true},
		"open_world":  {kind: kindBool, optional: true},
	},
	"context": {
		"arguments":   {kind: kindRecord}, // its members are the tools'
		"run":         {kind: kindString},
		"topology":    {kind: kindString},
		"traceparent": {kind: kindString},
		"tier": {kind: kindString, oneOf: []string{
			string(spec.Open), string(spec.Cautious), string(spec.Readonly), string(spec.Strict),
		}},
		"time": {kind: kindDatetime},
		"hour": {kind: kindLong},
		"weekday": {kind: kindString, oneOf: []string{
			"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		}},
		"counts": {kind: kindRecord, members: shape{
			"agent":  {kind: kindLong},
			"run":    {kind: kindLong},
			"denied": {kind: kindLong},
		}},
	},
}

// kindOf is the kind of a literal; empty for one that no attribute has.
func kindOf(v cedar.Value) kind {
	switch v.(type) {
	case cedar.String:
		return kindString
	case cedar.Long:
		return kindLong
	case cedar.Boolean:
		return kindBool
	}
	return ""
}
