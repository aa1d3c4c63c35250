package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// idleKinds are folders of the format whose files we do not run.
var idleKinds = []string{"triggers", "schedules", "adapters", "funnels", "roles", "contracts", "providers", "evals", "policies"}

// read reads one file of the workspace; the value is absent when there was a fault.
func (l *loader) read(file string) value {
	doc := &document{file: file}
	data, err := readBounded(filepath.Join(l.root, filepath.FromSlash(file)))
	if err != nil {
		l.fault(value{doc: doc}, "", "%v", err)
		return value{doc: doc}
	}
	l.files[file] = data
	return parse(doc, data, &l.env, &l.report)
}

// readBounded reads a regular file: a pipe would block, and a device never end.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, underlying(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%d bytes long: a workspace file may have %d", info.Size(), maxFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, underlying(err)
	}
	return data, nil
}

// filesOf lists a kind's YAML files, sorted, with those of one level of sub-folders. YAML further down is a fault: it
// would be left out in silence.
func (l *loader) filesOf(folder string) []string {
	var files []string
	for _, entry := range l.entries(folder) {
		if !l.isDir(entry) {
			files = appendYAML(files, entry)
			continue
		}
		for _, below := range l.entries(entry) {
			if !l.isDir(below) {
				files = appendYAML(files, below)
				continue
			}
			for _, deep := range l.yamlBelow(below) {
				l.fault(value{doc: &document{file: deep}}, "move it up",
					"too deep: %s/ may have one level of sub-folders", folder)
			}
		}
	}
	return files
}

// entries lists a folder, sorted, without names that start with a dot. A folder that does not exist has none.
func (l *loader) entries(folder string) []string {
	entries, err := os.ReadDir(filepath.Join(l.root, filepath.FromSlash(folder)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.fault(value{doc: &document{file: folder}}, "", "%v", underlying(err))
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	return names
}

func (l *loader) isDir(file string) bool {
	info, err := os.Stat(filepath.Join(l.root, filepath.FromSlash(file)))
	return err == nil && info.IsDir()
}

// yamlBelow finds all YAML files below a folder. It does not follow links, which may lead in circles.
func (l *loader) yamlBelow(folder string) []string {
	var files []string
	_ = fs.WalkDir(os.DirFS(l.root), folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // what cannot be read holds nothing we would have read
		case strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return fs.SkipDir
		case !entry.IsDir() && !strings.HasPrefix(entry.Name(), "."):
			files = appendYAML(files, file)
		}
		return nil
	})
	return files
}

func appendYAML(files []string, file string) []string {
	if slices.Contains([]string{".yaml", ".yml"}, path.Ext(file)) {
		files = append(files, file)
	}
	return files
}

// warnOfIdleKinds warns once for each folder that holds files nobody will run.
func (l *loader) warnOfIdleKinds(folders []string) {
	for _, folder := range folders {
		files := 0
		for _, entry := range l.entries(folder) {
			if l.isDir(entry) {
				files += len(l.yamlBelow(entry))
			} else if folder == "policies" || len(appendYAML(nil, entry)) > 0 {
				files++ // policies are not written in YAML
			}
		}
		if files > 0 {
			l.warn(value{doc: &document{file: folder}}, "", "declared, not run (files: %d)", files)
		}
	}
}

// underlying drops the operation and path of a file error: the fault names the file already.
func underlying(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
