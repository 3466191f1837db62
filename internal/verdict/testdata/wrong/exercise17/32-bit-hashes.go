// The texts are found by a hash of 32 bits, which two keys may have.
// quick: true

package wording

type Catalog struct {
	texts map[uint32]string // by the hash of the key
}

func New() *Catalog {
	return &Catalog{texts: make(map[uint32]string)}
}
func (c *Catalog) Add(lang, screen, name, text string) {
	k := newKey()
	k.set(lang, screen, name)
	c.texts[k.hash()] = text
}
func (c *Catalog) Text(lang, screen, name string) (text string, ok bool) {
	k := newKey()
	for {
		k.set(lang, screen, name)
		text, ok = c.texts[k.hash()]
		if ok || lang == "" {
			return text, ok
		}
		lang = wider(lang)
	}
}
func wider(lang string) string {
	for i := len(lang) - 1; i >= 0; i-- {
		if lang[i] == '-' {
			return lang[:i]
		}
	}
	return ""
}

type key struct {
	text []byte
	room *[64]byte // for the text of most keys
}

func newKey() key { return key{room: new([64]byte)} }
func (k *key) set(lang, screen, name string) {
	k.text = k.text[:0]
	k.add(lang)
	k.add("/")
	k.add(screen)
	k.add("/")
	k.add(name)
}
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

func (k *key) hash() uint32 {
	h := uint32(2166136261)
	for _, c := range k.text {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
