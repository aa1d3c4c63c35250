package audit

import (
	"bufio"
	"errors"
	"io"
)

// lineReader reads the lines of a segment with bounded memory.
type lineReader struct {
	r      *bufio.Reader
	buf    []byte
	offset int64 // of the next line
}

func newLineReader(r io.Reader, offset int64) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 256<<10), offset: offset}
}

// rawLine is one line without its end. Its text is valid until the next call, and is only the start of a line of more than
// maxLine bytes.
type rawLine struct {
	text   []byte
	offset int64 // of the line in the file
	size   int64 // of the line with its end
	// torn is true when the file ends before the line does.
	torn bool
}

// next returns io.EOF behind the last line, a torn one included.
func (l *lineReader) next() (rawLine, error) {
	line := rawLine{offset: l.offset}
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		line.size += int64(len(part))
		if err == nil && len(l.buf) == 0 {
			line.text = part[:len(part)-1] // the usual case needs no copy
			break
		}
		l.buf = append(l.buf, part[:min(len(part), maxLine-len(l.buf))]...)
		line.text = l.buf
		if err == nil {
			line.text = l.buf[:min(int64(len(l.buf)), line.size-1)]
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !errors.Is(err, io.EOF) || line.size == 0 {
			return rawLine{}, err
		}
		line.torn = true
		break
	}
	l.offset += line.size
	return line, nil
}
