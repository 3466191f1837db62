package present

import (
	"os"
	"path/filepath"
	"testing"

	"onthestack/internal/why"
)

// TestNext proves that there is a page for each kind of reason that has a remedy, and that the book has it.
func TestNext(t *testing.T) {
	for _, r := range Rules() {
		advice, page := Next(r.Kind, []string{"fmt.Sprintf"})
		if (page != "") != (advice != "") {
			t.Errorf("%s has the advice %q and the page %q", r.Kind, advice, page)
		}
		checkPage(t, page)
	}
}

// TestNextOfCallees tests the pages about functions that a line calls.
func TestNextOfCallees(t *testing.T) {
	for _, c := range calleePages {
		checkPage(t, c.page)
	}
	remedies := why.Callee.Remedies(nil)
	for _, test := range []struct {
		callees      []string
		advice, page string
	}{
		{[]string{"fmt.Sprintf", "fmt.newPrinter"}, remedies, "everyday-go/formatting"},
		{[]string{"io.ReadAll"}, "read into a bytes.Buffer that is used again.", "service/lines"},
		{[]string{"encoding/json.(*Encoder).Encode", "compress/gzip.(*Writer).Write", "compress/flate.NewWriter"},
			"keep the compressor or decompressor, for example in a sync.Pool, and call Reset before the next use.",
			"service/lines"},
		{[]string{"regexp.MustCompile", "regexp.compile"}, "compile the expression once, and not in each call.",
			"service/lines"},
		{[]string{"regexp.(*Regexp).ReplaceAll"}, remedies, "service/lines"},
		{[]string{"time.After", "time.NewTimer"}, "make one timer, and call Reset each time you wait.", "service/situations"},
		{[]string{"text/template.(*Template).Execute", "fmt.Sprint"}, remedies, ""},
		{nil, remedies, ""},
	} {
		if advice, page := Next(why.Callee, test.callees); advice != test.advice || page != test.page {
			t.Errorf("%q: %q and %q, want %q and %q", test.callees, advice, page, test.advice, test.page)
		}
	}
}

// checkPage fails if the book lacks a page. There is nothing to check for "".
func checkPage(t *testing.T, page string) {
	t.Helper()
	if page == "" {
		return
	}
	if _, err := os.Stat(filepath.Join("..", "..", "book", filepath.FromSlash(page)+".md")); err != nil {
		t.Error(err)
	}
}
