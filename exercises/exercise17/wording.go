// The task: checkalloc task exercise17

// Package wording finds the texts of a program's screens
// in the language of the person in front of them.
package wording

// A Catalog holds texts by language, screen and name, none
// of which has a slash.
type Catalog struct {
	texts map[string]string // by key
}

// New returns an empty Catalog.
func New() *Catalog {
	return &Catalog{texts: make(map[string]string)}
}

// Add stores a text, in place of the one there, if any.
func (c *Catalog) Add(lang, screen, name, text string) {
	var k key
	k.set(lang, screen, name)
	c.texts[string(k.text)] = text
}

// Text returns a text, and whether there is one. If there
// is none in a language like "de-AT-Wien", then "de-AT",
// "de" and "" are tried. It makes no difference whether
// the letters a to z are capitals.
//
// Goroutines may call Text at once, as long as none calls
// Add. A later Add does not change what Text returned.
func (c *Catalog) Text(lang, screen, name string) (text string, ok bool) {
	var k key
	for {
		k.set(lang, screen, name)
		text, ok = c.texts[string(k.text)]
		if ok || lang == "" {
			return text, ok
		}
		lang = wider(lang)
	}
}

// wider returns a language without its last part.
func wider(lang string) string {
	for i := len(lang) - 1; i >= 0; i-- {
		if lang[i] == '-' {
			return lang[:i]
		}
	}
	return ""
}

// A key is what a text is stored under: the language, the
// screen and the name, in small letters, with slashes in
// between. The zero key is empty and ready for use.
type key struct {
	text []byte
	room [64]byte // for the text of most keys
}

// set makes k the key of a text.
func (k *key) set(lang, screen, name string) {
	k.text = k.text[:0]
	k.add(lang)
	k.add("/")
	k.add(screen)
	k.add("/")
	k.add(name)
}

// add appends s in small letters.
func (k *key) add(s string) {
	at := len(k.text)
	k.grow(len(s))
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		k.text[at+i] = c
	}
}

// grow makes the text n bytes longer.
func (k *key) grow(n int) {
	size := len(k.text) + n
	switch {
	case size <= cap(k.text):
		k.text = k.text[:size]
	case k.text == nil && n <= len(k.room):
		k.text = k.room[:n]
	default:
		larger := make([]byte, size, 2*size)
		copy(larger, k.text)
		k.text = larger
	}
}
