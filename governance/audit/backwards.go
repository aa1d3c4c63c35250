package audit

import (
	"bytes"
	"io"
	"iter"
)

// linesBackwards yields what lies behind the last line end in the first size bytes of r, which is empty if nothing does;
// then the lines before it, last one first, without their ends. It ends after the first error.
func linesBackwards(r io.ReaderAt, size int64) iter.Seq2[[]byte, error] {
	const chunk = 64 << 10
	return func(yield func([]byte, error) bool) {
		var tail []byte // the bytes from size on that are not yielded yet
		for size > 0 {
			// Reading as much as there is already keeps a long line from being copied over and over.
			n := min(size, max(chunk, int64(len(tail))))
			block := make([]byte, n, n+int64(len(tail)))
			if _, err := r.ReadAt(block, size-n); err != nil {
				yield(nil, err)
				return
			}
			size -= n
			tail = append(block, tail...)
			for i := bytes.LastIndexByte(tail, '\n'); i >= 0; i = bytes.LastIndexByte(tail, '\n') {
				if !yield(tail[i+1:], nil) {
					return
				}
				tail = tail[:i]
			}
		}
		yield(tail, nil)
	}
}

// afterLastLine returns what lies behind the last line end.
func afterLastLine(r io.ReaderAt, size int64) ([]byte, error) {
	for rest, err := range linesBackwards(r, size) {
		return rest, err
	}
	return nil, nil
}
