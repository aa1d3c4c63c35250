package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/schema"
	"github.com/cedar-policy/cedar-go/x/exp/schema/ast"
)

// Schema writes the Cedar schema of a world in Cedar's human-readable form, for editors and for Cedar's own tools.
//
// context.arguments has the arguments of all known tools, each optional. JSON Schema's number is a long there, though a
// fraction comes as a decimal. What has no single Cedar type, by its own schema or because tools differ, is left out.
// The error is a bug or a name that Cedar cannot have.
func Schema(w World) ([]byte, error) {
	s := schema.NewSchemaFromAST(&ast.Schema{
		Entities: ast.Entities{
			ast.Ident(typeGroup):  {},
			ast.Ident(typeRole):   {},
			ast.Ident(typeServer): {},
			ast.Ident(typeAgent): {
				ParentTypes: []ast.EntityTypeRef{ast.EntityTypeRef(typeGroup), ast.EntityTypeRef(typeRole)},
				Shape:       recordOf(shapes["principal"]),
			},
			ast.Ident(typeTool): {
				ParentTypes: []ast.EntityTypeRef{ast.EntityTypeRef(typeServer)},
				Shape:       recordOf(shapes["resource"]),
			},
		},
		Actions: ast.Actions{callTool.ID: {AppliesTo: &ast.AppliesTo{
			Principals: []ast.EntityTypeRef{ast.EntityTypeRef(typeAgent)},
			Resources:  []ast.EntityTypeRef{ast.EntityTypeRef(typeTool)},
			Context:    contextType(w),
		}}},
	})
	if _, err := s.Resolve(); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return s.MarshalCedar()
}

func contextType(w World) ast.RecordType {
	record := recordOf(shapes["context"])
	record["arguments"] = ast.Attribute{Type: argumentsType(w)}
	return record
}

func recordOf(s shape) ast.RecordType {
	record := ast.RecordType{}
	for name, a := range s {
		record[cedar.String(name)] = ast.Attribute{Type: typeOf(a), Optional: a.optional}
	}
	return record
}

func typeOf(a attribute) ast.IsType {
	switch a.kind {
	case kindLong:
		return ast.Long()
	case kindBool:
		return ast.Bool()
	case kindDecimal:
		return ast.Decimal()
	case kindDatetime:
		return ast.Datetime()
	case kindStrings:
		return ast.Set(ast.String())
	case kindRecord:
		return recordOf(a.members)
	case kindString:
	}
	return ast.String()
}

// argumentsType merges the arguments of all tools.
func argumentsType(w World) ast.RecordType {
	merged, differ := ast.RecordType{}, map[types.String]bool{}
	for _, s := range w.Servers {
		for _, t := range s.Tools {
			for name, a := range objectType(t.InputSchema, maxNesting) {
				a.Optional = true
				if before, ok := merged[name]; ok && !reflect.DeepEqual(before.Type, a.Type) {
					differ[name] = true
				}
				merged[name] = a
			}
		}
	}
	maps.DeleteFunc(merged, func(name types.String, _ ast.Attribute) bool { return differ[name] })
	return merged
}

// objectType is the record of an object schema's properties.
func objectType(raw json.RawMessage, depth int) ast.RecordType {
	record := ast.RecordType{}
	var s inputSchema
	if json.Unmarshal(raw, &s) != nil {
		return record
	}
	for name, property := range s.Properties {
		if t := jsonType(property, depth-1); t != nil {
			record[types.String(name)] = ast.Attribute{Type: t, Optional: !slices.Contains(s.Required, name)}
		}
	}
	return record
}

// maxNesting bounds how deep types are looked for: each level is parsed anew.
const maxNesting = 16

// jsonType is the Cedar type of a JSON Schema; nil when it has none, or is nested too deep.
func jsonType(raw json.RawMessage, depth int) ast.IsType {
	var s inputSchema
	if depth < 0 || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	switch onlyType(s.Type) {
	case "string":
		return ast.String()
	case "boolean":
		return ast.Bool()
	case "integer", "number":
		return ast.Long()
	case "object":
		return objectType(raw, depth)
	case "array":
		if element := jsonType(s.Items, depth-1); element != nil {
			return ast.Set(element)
		}
	}
	return nil
}

// onlyType is the one type a schema allows beside null, or "".
func onlyType(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return ""
	}
	many = slices.DeleteFunc(many, func(t string) bool { return t == "null" })
	if len(many) != 1 {
		return ""
	}
	return many[0]
}
