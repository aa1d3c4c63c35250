package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

var segmentName = regexp.MustCompile(`^([0-9]{8})-.+\.jsonl$`)

// segmentFile is a segment as it lies in the folder.
type segmentFile struct {
	number int
	name   string
}

// listSegments returns the segments of dir in order of their numbers. A folder that does not exist has none.
func listSegments(dir string) ([]segmentFile, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list audit segments: %w", err)
	}
	var found []segmentFile
	for _, entry := range entries {
		if m := segmentName.FindStringSubmatch(entry.Name()); m != nil {
			number, _ := strconv.Atoi(m[1]) // eight digits always fit
			found = append(found, segmentFile{number, entry.Name()})
		}
	}
	slices.SortStableFunc(found, func(a, b segmentFile) int { return cmp.Compare(a.number, b.number) })
	return found, nil
}

// segment is the file that the log appends to.
type segment struct {
	segmentFile
	file *os.File
	fd   int   // of file, kept because File.Fd is not free
	size int64 // of the records in it
	torn bool  // a part of a failed write may lie behind them
}

// createSegment creates segment number n. It refuses to reuse a file.
func createSegment(dir string, n int, now time.Time) (*segment, error) {
	name := fmt.Sprintf("%08d-%s.jsonl", n, now.UTC().Format("20060102T150405Z"))
	return openSegment(dir, segmentFile{n, name}, os.O_CREATE|os.O_EXCL)
}

func openSegment(dir string, sf segmentFile, flags int) (*segment, error) {
	file, err := os.OpenFile(filepath.Join(dir, sf.name), os.O_RDWR|os.O_APPEND|flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open audit segment: %w", err)
	}
	s := &segment{segmentFile: sf, file: file, fd: int(file.Fd())}
	st, err := s.stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	s.size = st.Size
	return s, nil
}

// append adds one line with one write. When that goes wrong the file is as it was before, or, if that cannot be done
// either, torn.
func (s *segment) append(line []byte, sync bool) error {
	_, err := s.file.Write(line)
	if err == nil && sync {
		err = fdatasync(s.fd)
	}
	if err != nil {
		s.torn = true
		return errors.Join(fmt.Errorf("write audit segment %s: %w", s.name, err), s.cut())
	}
	s.size += int64(len(line))
	return nil
}

// cut removes what lies behind the records.
func (s *segment) cut() error {
	if err := unix.Ftruncate(s.fd, s.size); err != nil {
		return fmt.Errorf("cut off a half-written record in %s: %w", s.name, err)
	}
	s.torn = false
	return nil
}

// damage says what somebody else did to the file, or is empty.
func (s *segment) damage() (string, error) {
	st, err := s.stat()
	switch {
	case err != nil:
		return "", err
	case st.Nlink == 0:
		return "the segment was removed while in use", nil
	case st.Size != s.size:
		return fmt.Sprintf("the segment has %d bytes instead of %d", st.Size, s.size), nil
	}
	return "", nil
}

func (s *segment) stat() (unix.Stat_t, error) {
	var st unix.Stat_t
	if err := unix.Fstat(s.fd, &st); err != nil {
		return st, fmt.Errorf("look at audit segment %s: %w", s.name, err)
	}
	return st, nil
}

func (s *segment) close(sync bool) error {
	var err error
	if sync {
		err = fdatasync(s.fd)
	}
	return errors.Join(err, s.file.Close())
}
