package room

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// letters are the letters and digits of codes and tokens. None is easily taken for another when it is read from a
// projector and typed, as 0 and O, 1 and I are.
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

const (
	codeLength  = 6  // 30 bits: a code opens the way into a room, and guesses are rate limited
	tokenLength = 16 // 80 bits
)

// NewCode returns a random code of a room, such as "K7M2QX".
func NewCode() string { return random(codeLength) }

// NewToken returns a random token. It is also what a participant types into another browser to continue there.
func NewToken() string { return random(tokenLength) }

func random(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return spell(b)
}

// spell returns random bytes as letters. There are 32, so that no letter is more likely than another.
func spell(random []byte) string {
	text := make([]byte, len(random))
	for i, b := range random {
		text[i] = letters[b%byte(len(letters))]
	}
	return string(text)
}

// HelperToken returns the token of the instructor's helpers, which only the instructor's token leads to, and which does
// not lead back to it.
func HelperToken(instructor string) string {
	mac := hmac.New(sha256.New, []byte(Normalize(instructor)))
	mac.Write([]byte("helper"))
	return spell(mac.Sum(nil)[:tokenLength])
}

// Normalize returns a code or a token as it was made, from how somebody typed it: in small letters, with spaces or
// hyphens between groups.
func Normalize(typed string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, typed)
}

// ValidCode reports whether text has the form of a room's code.
func ValidCode(text string) bool {
	return len(text) == codeLength && strings.Trim(text, letters) == ""
}

// ValidToken reports whether text has the form of a token.
func ValidToken(text string) bool {
	return len(text) == tokenLength && strings.Trim(text, letters) == ""
}

// Hash returns what the journal keeps of a token.
func Hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Matches reports whether hash is Hash(token), in a time that does not depend on where the two differ.
func Matches(hash []byte, token string) bool {
	return subtle.ConstantTimeCompare(hash, Hash(token)) == 1
}

// SubmissionID returns the ID of a participant's submission with an idempotency key. The same key gives the same ID
// on every server, so a request that is repeated never makes a second submission.
func SubmissionID(code, participant, key string) string {
	mac := hmac.New(sha256.New, []byte(code+"/"+participant))
	mac.Write([]byte(key))
	return hex.EncodeToString(mac.Sum(nil)[:12])
}

// CleanName returns a name that can be shown in a table: without control characters, characters that change the
// direction of what follows or show nothing, and repeated spaces. It is "" if nothing is left to show or if the name is
// too long.
func CleanName(name string, max int) string {
	if !utf8.ValidString(name) {
		return ""
	}
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), isBlank(r):
			return ' '
		case unicode.Is(unicode.Cf, r) && r != '\u200d', unicode.IsControl(r), unicode.Is(unicode.Co, r):
			return -1 // U+200D joins the parts of some letters and emoji
		}
		return r
	}, name)
	clean = strings.Join(strings.Fields(clean), " ")
	if !strings.ContainsFunc(clean, isVisible) || utf8.RuneCountInString(clean) > max {
		return ""
	}
	return clean
}

// isVisible reports whether a character shows something by itself.
func isVisible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.IsMark(r) && !isBlank(r)
}

// isBlank reports whether a character that counts as a letter or a symbol shows nothing. Unicode has the fillers of
// Hangul among the characters that are ignored by default; the other two are an empty Braille cell and an empty note.
func isBlank(r rune) bool {
	return r == '\u2800' || r == '\U0001D159' ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !unicode.IsMark(r)
}
