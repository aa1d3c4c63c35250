package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	inline  = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// BrokenLinks lists the links of one Markdown file that lead to no file below root, or to no heading of that file. file
// is relative to root. Links to other hosts are not followed.
func BrokenLinks(root, file string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, err
	}
	var faults []string
	prose := inline.ReplaceAllString(fence.ReplaceAllString(string(text), ""), "")
	for _, m := range link.FindAllStringSubmatch(prose, -1) {
		if !scheme.MatchString(m[1]) && !leads(root, file, m[1]) {
			faults = append(faults, fmt.Sprintf("%s: the link %q leads nowhere", file, m[1]))
		}
	}
	return faults, nil
}

func leads(root, from, target string) bool {
	to, anchor, _ := strings.Cut(target, "#")
	file := filepath.Join(root, filepath.Dir(from), filepath.FromSlash(to))
	if to == "" {
		file = filepath.Join(root, from)
	}
	if _, err := os.Stat(file); err != nil {
		return false
	}
	if anchor == "" {
		return true
	}
	text, err := os.ReadFile(file)
	return err == nil && hasHeading(string(text), anchor)
}

func hasHeading(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		if slug(m[1]) == anchor {
			return true
		}
	}
	return false
}

// slug is the anchor that code hosts make of a heading.
func slug(heading string) string {
	kept := dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
	return strings.ReplaceAll(kept, " ", "-")
}
