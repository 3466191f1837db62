package present

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPages proves that there is a page for each kind of reason that has a remedy, and that the book has it.
func TestPages(t *testing.T) {
	for _, r := range Rules() {
		page := Page(r.Kind)
		if remedies := r.Kind.Remedies(nil); (page != "") != (remedies != "") {
			t.Errorf("%s has the remedies %q and the page %q", r.Kind, remedies, page)
		}
		if page == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", "..", "book", filepath.FromSlash(page)+".md")); err != nil {
			t.Errorf("%s: %v", r.Kind, err)
		}
	}
}
