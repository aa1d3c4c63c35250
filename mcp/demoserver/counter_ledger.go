package demoserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxKey keeps a ledger line well below tailSize: JSON writes a byte of a key with at most six.
const (
	maxKey   = 256
	tailSize = 4096
)

// entry is one line of the ledger.
type entry struct {
	Total int64  `json:"total"` // after the increment
	By    int64  `json:"by"`
	Key   string `json:"key,omitempty"`
}

// ledger is the path of an append-only file of entries, one JSON object a line.
type ledger string

// append adds one line, and cuts off what a writer that died in the middle of a line has left.
func (l ledger) append(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(string(l), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, end, err := tail(file)
	if err != nil {
		return err
	}
	if err := file.Truncate(end); err != nil {
		return err
	}
	_, err = file.WriteAt(append(line, '\n'), end)
	return err
}

// last returns the last whole entry; false when there is none.
func (l ledger) last() (entry, bool, error) {
	file, err := os.Open(string(l))
	if errors.Is(err, fs.ErrNotExist) {
		return entry{}, false, nil
	}
	if err != nil {
		return entry{}, false, err
	}
	defer func() { _ = file.Close() }()
	line, _, err := tail(file)
	if err != nil || len(line) == 0 {
		return entry{}, false, err
	}
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return entry{}, false, fmt.Errorf("%s: last line is no entry: %w", l, err)
	}
	return e, true, nil
}

// tail returns the last whole line of file, without its newline, and the offset behind that newline.
func tail(file *os.File) ([]byte, int64, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	from := max(0, info.Size()-tailSize)
	chunk, err := io.ReadAll(io.NewSectionReader(file, from, tailSize))
	if err != nil {
		return nil, 0, err
	}
	line, n := lastLine(chunk)
	return line, from + int64(n), nil
}

// lastLine returns the last line of chunk that ends with a newline, and how many bytes there are up to and with it.
func lastLine(chunk []byte) ([]byte, int) {
	whole := bytes.LastIndexByte(chunk, '\n') + 1
	if whole == 0 {
		return nil, 0
	}
	start := bytes.LastIndexByte(chunk[:whole-1], '\n') + 1
	return chunk[start : whole-1], whole
}
