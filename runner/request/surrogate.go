package request

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// loneSurrogate returns the first escape of a UTF-16 surrogate that is not part of a pair, or "". encoding/json would
// replace it with U+FFFD, as it does with invalid UTF-8. In JSON, backslashes occur only in strings, and each begins an
// escape.
func loneSurrogate(body []byte) string {
	unit := func(at int) rune {
		if at+6 > len(body) || body[at] != '\\' || body[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(body[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for at := 0; at < len(body); at++ {
		if body[at] != '\\' {
			continue
		}
		first := unit(at)
		switch {
		case !utf16.IsSurrogate(first):
			at++ // the escaped character may be a backslash
		case utf16.DecodeRune(first, unit(at+6)) != utf8.RuneError:
			at += 11
		default:
			return string(body[at : at+6])
		}
	}
	return ""
}
