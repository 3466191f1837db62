package room

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// appearance returns a text that is the same for texts which look the same, or are the same but for capitals: without
// characters that show nothing, such as a joiner at the end, and with letters that can be written in several ways
// written in one. Letters of different scripts that look the same stay different.
func appearance(text string) string {
	shown := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, text)
	return strings.ToLower(norm.NFKC.String(shown))
}
