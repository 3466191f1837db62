// Package header allocates objects of one size, with a pointer in them and without.
package header

// ANCHOR: pages

// A Page has 1024 bytes, eight of which are a pointer.
type Page struct {
	next *Page
	text [1016]byte
}

// A Sheet has 1024 bytes and no pointer.
type Sheet struct {
	text [1024]byte
}

// ANCHOR_END: pages

var (
	page  *Page
	sheet *Sheet
)

// NewPage allocates a Page.
func NewPage() { page = new(Page) }

// NewSheet allocates a Sheet.
func NewSheet() { sheet = new(Sheet) }
