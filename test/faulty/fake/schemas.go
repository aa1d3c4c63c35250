package fake

import "strings"

// oddSchemas are input schemas that converters stumble over. Most are legal; an empty text stands for none at all.
var oddSchemas = []struct{ name, schema string }{
	// Without properties.
	{"s_no_props", `{"type":"object"}`},
	{"s_empty", `{}`},
	{"s_missing", ``},
	{"s_null", `null`},
	{"s_only_schema", `{"$schema":"http://json-schema.org/draft-07/schema#"}`},
	{"s_props_null", `{"type":"object","properties":null}`},
	{"s_required_empty", `{"type":"object","properties":{"a":{"type":"string"}},"required":[]}`},
	{"s_true", `true`},

	// References.
	{"s_defs", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`},
	{"s_definitions", `{"type":"object","properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":{"type":"string"}}}`},
	{"s_root_ref", `{"$ref":"#/$defs/Root","$defs":{"Root":{"type":"object","properties":{"a":{"type":"string"}}}}}`},
	{"s_ref_siblings", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"kept","default":"x"}},"$defs":{"A":{"type":"string"}}}`},
	{"s_escaped_ref", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a~1b~0c%20d"}},"$defs":{"a/b~c d":{"type":"string"}}}`},
	{"s_recursive", `{"type":"object","properties":{"child":{"$ref":"#"}}}`},
	{"s_dangling_ref", `{"type":"object","properties":{"a":{"$ref":"#/$defs/None"}}}`},
	{"s_remote_ref", `{"type":"object","properties":{"a":{"$ref":"https://schemas.invalid/a.json"}}}`},
	{"s_anchor", `{"type":"object","properties":{"a":{"$ref":"#here"}},"$defs":{"A":{"$anchor":"here","type":"string"}}}`},

	// Types.
	{"s_type_array", `{"type":"object","properties":{"a":{"type":["array","null"],"items":{"type":"string"}}}}`},
	{"s_nullable_anyof", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`},
	{"s_enum_null", `{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}}}`},
	{"s_enum_mixed", `{"type":"object","properties":{"a":{"enum":["x",1,true,null,{"k":[]}]}}}`},
	{"s_const", `{"type":"object","properties":{"a":{"const":{"deep":[1,2]}}}}`},
	{"s_array_no_items", `{"type":"object","properties":{"a":{"type":"array"}}}`},
	{"s_tuple", `{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"},{"type":"number"}]}}}`},
	{"s_prefix_items", `{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"string"}],"items":false}}}`},
	{"s_big_bounds", `{"type":"object","properties":{"a":{"type":"integer","minimum":-9223372036854775808,"maximum":18446744073709551615}}}`},

	// The root.
	{"s_root_anyof", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"string"}}}]}`},
	{"s_root_oneof", `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}}`},
	{"s_root_allof", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}`},
	{"s_root_string", `{"type":"string"}`},
	{"s_root_array", `{"type":"array","items":{"type":"string"}}`},
	{"s_no_type", `{"properties":{"a":{"type":"string"}},"required":["a"]}`},
	{"s_if_then", `{"type":"object","properties":{"a":{"type":"string"}},"if":{"properties":{"a":{"const":"x"}}},"then":{"required":["b"]}}`},

	// Broken ones.
	{"s_bad_type", `{"type":"object","properties":{"a":{"type":"int"}}}`},
	{"s_required_bool", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`},
	{"s_exclusive_bool", `{"type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`},
	{"s_bad_pattern", `{"type":"object","properties":{"a":{"type":"string","pattern":"(?<!x)[a-"}}}`},
	{"s_required_unknown", `{"type":"object","properties":{"a":{"type":"string"}},"required":["nowhere"]}`},

	// Names, and size.
	{"s_odd_keys", `{"type":"object","properties":{"$a.b-c[]":{"type":"string"},"":{"type":"string"},"größe":{"type":"string"}}}`},
	{"s_pattern_props", `{"type":"object","patternProperties":{"^x-":{"type":"string"}},"propertyNames":{"maxLength":8},"additionalProperties":{"type":"number"}}`},
	{"s_unknown_words", `{"type":"object","x-order":["a"],"examples":[{"a":1}],"properties":{"a":{"type":"string","format":"x-odd","contentEncoding":"base64"}}}`},
	{"s_long_text", `{"type":"object","properties":{"a":{"type":"string","description":"` + strings.Repeat("long ", 2000) + `"}}}`},
	{"s_deep", strings.Repeat(`{"type":"object","properties":{"a":`, 60) + `{"type":"string"}` + strings.Repeat(`}}`, 60)},
}
