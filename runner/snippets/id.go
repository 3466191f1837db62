package snippets

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// The playground at play.golang.org hashes the same salt before a program, and gives the same lengths: a program has one id on
// every server of its kind.
const (
	idSalt   = "Go playground salt\n"
	idLength = 11 // at least
)

const idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// ids are the ids that a program may have, the one to use first. The next is for where another program has that one already. None
// ends in an underscore, which what turns addresses into links may leave out.
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

// maybeID reports whether a program may have that id.
func maybeID(s string) bool {
	return len(s) >= idLength && len(s) <= base64.RawURLEncoding.EncodedLen(sha256.Size) && s[len(s)-1] != '_' &&
		strings.Trim(s, idAlphabet) == ""
}
