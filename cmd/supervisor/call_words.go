package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcp-supervisor/supervisor/control"
)

// callWords are the positional words of `call`.
type callWords struct{ workspace, server, tool, arguments string }

// parseCall tells [WORKSPACE] SERVER TOOL [ARGUMENTS] apart. given is true when --workspace is; isWorkspace tells
// whether a word is the path of a workspace.
func parseCall(words []string, given bool, isWorkspace func(string) bool) (callWords, error) {
	leading := false // the first word is the workspace
	switch len(words) {
	case 3:
		if !given && !looksLikeArguments(words[2]) {
			leading = isWorkspace(words[0])
			if !leading && !json.Valid([]byte(words[2])) {
				return callWords{}, usage(`%q is not a folder or a .yaml file; if it is the server, %q is no JSON object: write the arguments as '{"name": "value"}'`,
					words[0], words[2])
			}
		}
	case 4:
		leading = true
	}
	if leading && given {
		return callWords{}, usage("the workspace is given twice: as %q and with --workspace", words[0])
	}
	var w callWords
	if leading {
		w.workspace, words = words[0], words[1:]
	}
	w.server, w.tool = words[0], words[1]
	if w.server == "" || w.tool == "" || leading && w.workspace == "" {
		return callWords{}, usage("WORKSPACE, SERVER and TOOL must not be empty")
	}
	if len(words) > 2 {
		w.arguments = words[2]
	}
	return w, nil
}

func looksLikeArguments(word string) bool {
	return word == "-" || strings.HasPrefix(word, "@") || strings.HasPrefix(strings.TrimSpace(word), "{")
}

func isWorkspace(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	return info.IsDir() || isYAML(path)
}

// readArguments returns the JSON object that a word stands for; nil for none.
func (a *app) readArguments(word string) (json.RawMessage, error) {
	text := []byte(word)
	var err error
	switch {
	case word == "":
		return nil, nil
	case word == "-":
		text, err = readAll(a.in)
	case strings.HasPrefix(word, "@"):
		text, err = readFile(word[1:])
	}
	if err != nil {
		return nil, usage("read the arguments from %s: %w", word, err)
	}
	return checkObject(text)
}

func readFile(path string) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readAll(f)
}

func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, control.MaxBody+1))
	if err == nil && len(text) > control.MaxBody {
		err = fmt.Errorf("more than %d MiB", control.MaxBody>>20)
	}
	return text, err
}

// checkObject returns the JSON object in text as it stands there.
func checkObject(text []byte) (json.RawMessage, error) {
	text = bytes.TrimSpace(text)
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, usage(`the arguments are not JSON: %w; write them as '{"name": "value"}'`, err)
	}
	if len(text) == 0 || text[0] != '{' {
		return nil, usage(`the arguments are %s, not a JSON object; write them as '{"name": "value"}'`, cut(string(text), 40))
	}
	return value, nil
}
