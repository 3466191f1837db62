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
	k := newKey()
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
	// newKey is inlined, so it is this function that makes the array: the compiler
	// reports that new([64]byte) does not escape. Neither does the copy of the text
	// that string(k.text) would be: looking it up in a map needs none.
	//
	// The struct is not needed at all if a function appends the key to a slice and
	// returns it: with an array in this frame, appendKey(room[:0], …) allocates
	// nothing for keys that fit, and append makes a larger array for the others.
	k := newKey()
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
// between. newKey makes one.
type key struct {
	text []byte
	// Changed: this was an array inside the key, so a slice of it was a pointer to
	// the key. grow stores that slice, through k, in a place that the compiler
	// takes for the heap. So it had to assume that the heap keeps the key:
	// "moved to heap: k" in Text. Now the array lies beside the key. What grow
	// stores through k was reachable through k before, and the compiler sees it:
	// "ignoring self-assignment in k.text = k.room[:n]".
	room *[64]byte // for the text of most keys
}

// newKey returns an empty key.
//
// The cost: the zero key had an array and needed no constructor. Now it has
// no array, and grow would panic.
func newKey() key { return key{room: new([64]byte)} }

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
		// Only a key that is longer than expected pays for an array, and its text
		// is still found.
		larger := make([]byte, size, 2*size)
		copy(larger, k.text)
		k.text = larger
	}
}
