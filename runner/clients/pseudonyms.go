package clients

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// Pseudonyms are names for the log, of what Client returns. An address tells who somebody is; what the log needs is which
// requests are of one client. The key is drawn when the server starts and is nowhere written, so that nobody can tell the
// address later, and no client has the same name in the logs of two runs.
type Pseudonyms struct{ key [16]byte }

// NewPseudonyms draws the key.
func NewPseudonyms() (p Pseudonyms) {
	rand.Read(p.key[:]) // never fails
	return p
}

// Of is the client's name, the same each time: 8 hexadecimal digits.
func (p Pseudonyms) Of(client string) string {
	sum := sha256.Sum256(append(p.key[:], client...))
	return hex.EncodeToString(sum[:4])
}
