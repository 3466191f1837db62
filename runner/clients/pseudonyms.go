package clients

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// Pseudonyms are the names of clients in the log. The log must show which requests are of the same client, and not the
// client's address, which identifies a person. The key is drawn when the server starts and never stored: nobody can
// compute the address from a name later, and a client has different names in the logs of two runs.
type Pseudonyms struct{ key [16]byte }

// NewPseudonyms returns pseudonyms with a new key.
func NewPseudonyms() (p Pseudonyms) {
	rand.Read(p.key[:]) // never fails
	return p
}

// Of returns the name of a client, which Client has returned: 8 hexadecimal digits, the same each time.
func (p Pseudonyms) Of(client string) string {
	sum := sha256.Sum256(append(p.key[:], client...))
	return hex.EncodeToString(sum[:4])
}
