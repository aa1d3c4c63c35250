package fake

// byteModes have a text in the result that does not survive careless handling.
func byteModes() []mode {
	return []mode{
		spell("invalid-utf8", "call result text holds the raw bytes FF FE C3", "before \xff\xfe\xc3 after"),
		spell("lone-surrogate", "call result text holds the JSON escape for a lone surrogate", `before \ud800 after`),
		spell("nul-char", "call result text holds an escaped NUL and other control characters", `before \u0000\u0001\u0007\u001b\u007f after`),
	}
}

// spell is a mode whose results have a text that is spelled so in JSON.
func spell(name, about, text string) mode {
	return fixed(name, about, `{"content":[{"type":"text","text":"`+text+`"}]}`)
}

// fixed is a mode whose calls all have the same result; the tool runs all the same.
func fixed(name, about, result string) mode {
	return mode{name: name, about: about, result: func(*server, *message, string) string { return result }}
}
