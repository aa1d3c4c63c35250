package mcp

import (
	"net/url"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// roots makes file URIs of folders.
func roots(folders []string) []*sdk.Root {
	list := make([]*sdk.Root, 0, len(folders))
	for _, folder := range folders {
		path := filepath.ToSlash(folder)
		if !strings.HasPrefix(path, "/") { // a Windows drive
			path = "/" + path
		}
		list = append(list, &sdk.Root{URI: (&url.URL{Scheme: "file", Path: path}).String(), Name: filepath.Base(folder)})
	}
	return list
}
