package bookdata

import (
	"strings"
	"testing"
	"testing/fstest"
)

const source = `package p

// ANCHOR: all

// F does it.
func F() {
	// ANCHOR: body
	g()
	// ANCHOR: call

	h()
	// ANCHOR_END: body
	k()
	// ANCHOR_END: call
}

//ANCHOR_END:all
// ANCHOR: nothing

// ANCHOR_END: nothing
`

func TestRegion(t *testing.T) {
	f, err := parseListingFile("p.go", source)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		anchor string
		lines  ListingLines
		whole  ListingLines // in the text without anchor comments
		text   string
	}{
		{"", ListingLines{1, 15}, ListingLines{1, 9}, "package p\n\n// F does it.\nfunc F() {\n\tg()\n\n\th()\n\tk()\n}\n"},
		{"all", ListingLines{5, 15}, ListingLines{3, 9}, "// F does it.\nfunc F() {\n\tg()\n\n\th()\n\tk()\n}\n"},
		{"body", ListingLines{8, 11}, ListingLines{5, 7}, "\tg()\n\n\th()\n"},
		{"call", ListingLines{11, 13}, ListingLines{7, 8}, "\th()\n\tk()\n"},
	} {
		lines, err := f.Region(test.anchor)
		if err != nil {
			t.Errorf("%q: %v", test.anchor, err)
			continue
		}
		if lines != test.lines {
			t.Errorf("%q: got %v, want %v", test.anchor, lines, test.lines)
		}
		if whole := f.InWhole(lines); whole != test.whole {
			t.Errorf("%q: in the whole text, got %v, want %v", test.anchor, whole, test.whole)
		}
		if text := f.Text(lines); text != test.text {
			t.Errorf("%q: got\n%s\nwant\n%s", test.anchor, text, test.text)
		}
	}
	if got, want := strings.Count(f.Numbered(), "\n"), strings.Count(source, "\n"); got != want ||
		strings.Contains(f.Numbered(), "ANCHOR") {
		t.Errorf("Numbered has %d lines of %d:\n%s", got, want, f.Numbered())
	}
}

func TestRegionErrors(t *testing.T) {
	for _, test := range []struct{ source, anchor, want string }{
		{source, "none", `p.go has no anchor "none": it has all, body, call, nothing`},
		{source, "nothing", `p.go: anchor "nothing" is empty`},
		{"package p\n", "a", `p.go has no anchors: add "// ANCHOR: a"`},
		{"// ANCHOR: a\n", "a", `p.go:1: anchor "a" has no end: add "// ANCHOR_END: a"`},
		{"// ANCHOR_END: a\n", "a", `p.go:1: anchor "a" ends but does not begin`},
		{"// ANCHOR: a\n// ANCHOR: a\n", "a", `p.go:2: anchor "a" begins twice: rename one`},
		{"// ANCHOR: a\nx\n// ANCHOR_END: a\n// ANCHOR: a\n", "a", `p.go:4: anchor "a" begins twice: rename one`},
	} {
		f, err := parseListingFile("p.go", test.source)
		if err == nil {
			_, err = f.Region(test.anchor)
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: got %v, want %s", test.source, err, test.want)
		}
	}
}

func TestHashFiles(t *testing.T) {
	pkg := func(fsys fstest.MapFS) string {
		files, err := ReadPackage(fsys, "p")
		if err != nil {
			t.Fatal(err)
		}
		return HashFiles(files)
	}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	first := pkg(fstest.MapFS{"p/a.go": file("package p\n"), "p/notes.txt": file("x")})
	if again := pkg(fstest.MapFS{"p/a.go": file("package p\n")}); again != first {
		t.Errorf("a file that is not Go changes the hash: %s, %s", first, again)
	}
	for name, other := range map[string]fstest.MapFS{
		"other text":  {"p/a.go": file("package p \n")},
		"other name":  {"p/b.go": file("package p\n")},
		"second file": {"p/a.go": file("package p\n"), "p/b.go": file("")},
	} {
		if pkg(other) == first {
			t.Errorf("%s: the hash is the same", name)
		}
	}
	if _, err := ReadPackage(fstest.MapFS{"p/notes.txt": file("x")}, "p"); err == nil {
		t.Error("a folder without Go files is a package")
	}
}
