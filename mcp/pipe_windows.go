package mcp

import "os"

// readerGone cannot be told here before the next write.
func readerGone(*os.File) bool { return false }

// readable cannot be told here either. A pipe's reads have no deadlines, and end with the server's job.
func readable(*os.File) bool { return true }
