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
var idleKinds = []string{"triggers", "schedules", "adapters", "funnels", "roles", "contracts", "providers", "evals"}

// read reads one file of the workspace; the value is absent when there was a fault.
func (l *loader) read(file string) value {
	doc := &document{file: file}
	data, ok := l.readText(value{doc: doc}, file, maxFile)
	if !ok {
		return value{doc: doc}
	}
	return parse(doc, data, &l.env, &l.report)
}

// readText reads one file of the workspace, which is then one of its Files. A fault is reported at v.
func (l *loader) readText(v value, file string, most int64) ([]byte, bool) {
	data, err := readBounded(filepath.Join(l.root, filepath.FromSlash(file)), most)
	if err != nil {
		l.fault(v, "", "%v", err)
		return nil, false
	}
	l.files[file] = data
	return data, true
}

// readBounded reads a regular file of at most so many bytes: a pipe would block, and a device never end.
func readBounded(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, underlying(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > most:
		return nil, fmt.Errorf("%d bytes long: a workspace file may have %d", info.Size(), most)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, underlying(err)
	}
	return data, nil
}

// filesOf lists the files of a folder that count, and the others, sorted, with those of one level of sub-folders. One
// that counts further down is a fault: it would be left out in silence.
func (l *loader) filesOf(folder string, counts func(file string) bool) (files, others []string) {
	add := func(file string) {
		if counts(file) {
			files = append(files, file)
		} else {
			others = append(others, file)
		}
	}
	for _, entry := range l.entries(folder) {
		if !l.isDir(entry) {
			add(entry)
			continue
		}
		for _, below := range l.entries(entry) {
			if !l.isDir(below) {
				add(below)
				continue
			}
			for _, deep := range l.filesBelow(below, counts) {
				l.fault(value{doc: &document{file: deep}}, "move it up",
					"too deep: %s/ may have one level of sub-folders", folder)
			}
		}
	}
	return files, others
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

// filesBelow finds all files below a folder that count. It does not follow links, which may lead in circles.
func (l *loader) filesBelow(folder string, counts func(file string) bool) []string {
	var files []string
	_ = fs.WalkDir(os.DirFS(l.root), folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // what cannot be read holds nothing we would have read
		case strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return fs.SkipDir
		case !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") && counts(file):
			files = append(files, file)
		}
		return nil
	})
	return files
}

func isYAML(file string) bool { return slices.Contains([]string{".yaml", ".yml"}, path.Ext(file)) }

// warnOfIdleKinds warns once for each folder that holds files nobody will run.
func (l *loader) warnOfIdleKinds(folders []string) {
	for _, folder := range folders {
		files := 0
		for _, entry := range l.entries(folder) {
			if l.isDir(entry) {
				files += len(l.filesBelow(entry, isYAML))
			} else if isYAML(entry) {
				files++
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
