package config

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// digest returns the names of files, sorted, and one sum over names and contents in that order. Each name and content is
// preceded by its length in bytes (64 bits, big-endian), so that nothing can move from one to the next unseen.
func digest(files map[string][]byte) (names []string, sum string) {
	names = slices.Sorted(maps.Keys(files))
	h := sha256.New()
	add := func(data []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
		h.Write(data)
	}
	for _, name := range names {
		add([]byte(name))
		add(files[name])
	}
	return names, hex.EncodeToString(h.Sum(nil))
}
