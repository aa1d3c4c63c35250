package mcp

// Guarantee says which processes are surely gone when a stdio server has ended, however it did.
type Guarantee string

const (
	ByCgroup Guarantee = "cgroup" // every descendant, without exception
	ByCookie Guarantee = "cookie" // its process group, its session, and every descendant that kept its environment
	ByGroup  Guarantee = "group"  // its process group
	ByJob    Guarantee = "job"    // Windows: every descendant
)

// Guarantee says what is surely gone when the session is done. It is empty for remote servers.
func (s *Session) Guarantee() Guarantee {
	if l, ok := s.link.(*stdio); ok {
		return l.proc.fence.guarantee()
	}
	return ""
}
