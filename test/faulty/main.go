// Command faulty is an MCP server that misbehaves on request. See package fake.
package main

import (
	"os"

	"github.com/mcp-supervisor/supervisor/test/faulty/fake"
)

func main() { os.Exit(fake.Main(os.Args[1:])) }
