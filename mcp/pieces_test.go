package mcp

import (
	"bytes"
	"testing"
)

func TestPiecesPutALineTogether(t *testing.T) {
	for _, size := range []int{0, 1, pieceSize - 1, pieceSize, pieceSize + 1, 3*pieceSize + 7} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(i % 251)
		}
		var p pieces
		for rest := want; len(rest) > 0; rest = rest[min(65_537, len(rest)):] {
			p.add(rest[:min(65_537, len(rest))])
		}
		if got := p.bytes(); !bytes.Equal(got, want) || p.size != size {
			t.Errorf("%d bytes came out as %d", size, len(got))
		}
	}
}
