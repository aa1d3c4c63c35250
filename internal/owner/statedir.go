package owner

import "path/filepath"

// StateDir is the folder in a workspace that its owner keeps its state in.
func StateDir(workspace string) string { return filepath.Join(workspace, ".supervisor") }

// AuditDir is the folder of the audit log in a state folder.
func AuditDir(stateDir string) string { return filepath.Join(stateDir, "audit") }

// CatalogueDir is the folder of what servers offered last, in a state folder.
func CatalogueDir(stateDir string) string { return filepath.Join(stateDir, "catalogues") }

// LogDir is the folder of the servers' logs in a state folder.
func LogDir(stateDir string) string { return filepath.Join(stateDir, "logs") }
