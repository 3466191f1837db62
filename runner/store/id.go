package store

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// The salt and the lengths are the same at play.golang.org, so a program has the same id there and here.
const (
	idSalt   = "Go playground salt\n"
	idLength = 11 // minimum
)

const idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// ids returns the ids that a program may have, in the order in which they are tried: each is one character longer than
// the one before, in case another program has that already. None ends in an underscore, which programs that recognize
// links may cut off.
func ids(body []byte) []string {
	h := sha256.New()
	h.Write([]byte(idSalt))
	h.Write(body)
	hash := base64.RawURLEncoding.EncodeToString(h.Sum(nil))
	var all []string
	for n := idLength; n <= len(hash); n++ {
		if hash[n-1] != '_' {
			all = append(all, hash[:n])
		}
	}
	return all
}

// maybeID reports whether s has the form of an id.
func maybeID(s string) bool {
	return len(s) >= idLength && len(s) <= base64.RawURLEncoding.EncodedLen(sha256.Size) && s[len(s)-1] != '_' &&
		strings.Trim(s, idAlphabet) == ""
}
