package approval

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
)

const (
	// idLength gives 30 bits: two of a thousand pending requests meet once in two thousand books, and are told apart then.
	idLength = 6
	// maxEnded is how many ended requests are known by their id, to say why an answer comes too late.
	maxEnded = 256
)

// readable is Crockford's alphabet: it has no letter that looks like a digit.
var readable = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// freshID makes an id of a call's id that no request has or had lately. The beginnings of call ids are times and much
// alike, so it is a piece of their hash.
func (b *Book) freshID(callID string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(callID + "/" + strconv.Itoa(n)))
		id := readable.EncodeToString(sum[:])[:idLength]
		if _, pending := b.pending[id]; !pending && !b.ended.know(id) {
			return id
		}
	}
}

// typed is the id that a person meant.
func typed(id string) string {
	return lookalikes.Replace(strings.ToLower(strings.TrimSpace(id)))
}

// Find returns the request of a list that a person means by an id, typed as [Book.Answer] takes it.
func Find(list []Pending, id string) (Pending, bool) {
	for _, p := range list {
		if p.ID == typed(id) {
			return p, true
		}
	}
	return Pending{}, false
}

var lookalikes = strings.NewReplacer("o", "0", "i", "1", "l", "1")

// endings knows why the last requests ended.
type endings struct {
	whys map[string]error
	ids  []string // in the order in which they ended
}

func (e *endings) add(id string, why error) {
	if e.whys == nil {
		e.whys = map[string]error{}
	}
	if len(e.ids) == maxEnded {
		delete(e.whys, e.ids[0])
		e.ids = e.ids[1:]
	}
	e.whys[id] = why
	e.ids = append(e.ids, id)
}

func (e *endings) know(id string) bool {
	_, ok := e.whys[id]
	return ok
}

func (e *endings) why(id string) error {
	if why, ok := e.whys[id]; ok {
		return why
	}
	return ErrUnknown
}
