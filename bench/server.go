package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// serve is the server all contenders call: as little as an MCP server can be, so that the clients are what is measured.
// `echo` answers with size bytes of text. `hang` is never answered.
func serve(size int) {
	answer := []byte(`,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", size) + `"}]}}` + "\n")
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriterSize(os.Stdout, 1<<17)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return
		}
		id := field(line, `"id":`)
		switch {
		case id == nil: // a notification
		case bytes.Contains(line, []byte(`"hang"`)):
		case bytes.Contains(line, []byte(`"tools/call"`)):
			_, _ = out.WriteString(`{"jsonrpc":"2.0","id":`)
			_, _ = out.Write(id)
			_, _ = out.Write(answer)
		default:
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, handshake(line))
		}
		if in.Buffered() == 0 {
			_ = out.Flush()
		}
	}
}

func handshake(line []byte) string {
	switch {
	case bytes.Contains(line, []byte(`"initialize"`)):
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`
	case bytes.Contains(line, []byte(`"tools/list"`)):
		return `{"tools":[{"name":"echo","inputSchema":` + echoSchema + `,"annotations":{"readOnlyHint":true}},` +
			`{"name":"hang","inputSchema":{"type":"object"}}]}`
	}
	return "{}"
}

// echoSchema is what a tool of this size usually declares.
const echoSchema = `{"type":"object","properties":{"text":{"type":"string","maxLength":4096},"upper":{"type":"boolean"},` +
	`"times":{"type":"integer","minimum":1}},"required":["text"],"additionalProperties":false}`

// field cuts a scalar out of a flat JSON line.
func field(line []byte, key string) []byte {
	at := bytes.Index(line, []byte(key))
	if at < 0 {
		return nil
	}
	rest := line[at+len(key):]
	return rest[:bytes.IndexAny(rest, ",}")]
}

// serving starts the server from the command line: bench serve SIZE.
func serving() bool {
	if len(os.Args) != 3 || os.Args[1] != "serve" {
		return false
	}
	size, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench serve SIZE:", err)
		os.Exit(2)
	}
	serve(size)
	return true
}
