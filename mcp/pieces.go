package mcp

// pieceSize is how much of a line is kept in one piece. Lines below it, nearly all, are never copied.
const pieceSize = 1 << 20

// pieces collects a line. A slice that grows leaves several times its length behind for the collector, which for a line of
// 60 MiB is most of the memory it takes; pieces are put together once, at the end.
type pieces struct {
	full [][]byte
	last []byte
	size int
}

func (p *pieces) add(part []byte) {
	p.size += len(part)
	if len(p.last)+len(part) > pieceSize && len(p.last) > 0 {
		p.full, p.last = append(p.full, p.last), make([]byte, 0, pieceSize)
	}
	p.last = append(p.last, part...)
}

// bytes puts the line together; the caller owns it.
func (p *pieces) bytes() []byte {
	if len(p.full) == 0 {
		return p.last
	}
	line := make([]byte, 0, p.size)
	for i, piece := range append(p.full, p.last) {
		line = append(line, piece...)
		if i < len(p.full) {
			p.full[i] = nil
		}
	}
	return line
}
