package site

import (
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"onthestack/tools/bookalloc/expand"
)

// TestDrawings tests that the drawings of the site's texts follow the drawings of the book.
func TestDrawings(t *testing.T) {
	svg := fstest.MapFS{"first/frame.svg": {Data: []byte("<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n")}}
	book := &expand.Book{Dir: "book", Files: svg, Pages: []expand.Page{
		{Path: "first/README.md", Text: "# First\n\n{{#drawing first/frame.svg \"x\"}}\n"}}}
	got, err := drawings(book, []expand.Page{
		{Path: "_index.md", Text: "---\ntitle: Front\n---\n"},
		{Path: "server/_index.md",
			Text: "---\nlayout: page\ntitle: \"The server\"\n---\n{{#drawing first/frame.svg \"x\"}}\n"},
		{Path: "server/size.md",
			Text: "---\ntitle: Size\n---\n\\{{#drawing none.svg \"x\"}}\n{{#drawing first/frame.svg \"x\"}}\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !strings.Contains(got[i].Block, "<svg ") {
			t.Errorf("drawing %d is %q", i, got[i].Block)
		}
		got[i].Block = ""
	}
	want := []Drawing{
		{Name: "first/frame.svg", Chapter: "first", Book: "/book/first/", Page: "First"},
		{Name: "first/frame.svg", Chapter: "first", Book: "/server/", Page: "The server"},
		{Name: "first/frame.svg", Chapter: "first", Book: "/server/size/", Page: "Size"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

var (
	slideTag  = regexp.MustCompile(`\{\{< slide (.*?) >\}\}`)
	attribute = regexp.MustCompile(`(\w+)="([^"]*)"`)
	planBlock = regexp.MustCompile(`(?s)\{\{< block ([^\n]*?) >\}\}\n(.*?)\{\{< /block >\}\}`)
)

// attributes returns what a shortcode is given.
func attributes(text string) map[string]string {
	all := map[string]string{}
	for _, m := range attribute.FindAllStringSubmatch(text, -1) {
		all[m[1]] = m[2]
	}
	return all
}

// TestSlides tests that there is a slide for each drawing, in which a question has an answer.
func TestSlides(t *testing.T) {
	root := os.DirFS("../../..")
	text, err := fs.ReadFile(root, "site/content/instructors/slides.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown, drawn []string
	for _, m := range slideTag.FindAllStringSubmatch(string(text), -1) {
		slide := attributes(m[1])
		shown = append(shown, slide["drawing"])
		if slide["title"] == "" || slide["ask"] == "" || slide["answer"] == "" {
			t.Errorf("slides.md: the slide %s needs title, ask and answer", slide["drawing"])
		}
	}
	book, err := fs.Sub(root, "book")
	if err != nil {
		t.Fatal(err)
	}
	if drawn, err = fs.Glob(book, "*/*.svg"); err != nil {
		t.Fatal(err)
	}
	drawn = slices.DeleteFunc(drawn, func(name string) bool { return path.Dir(name) == "theme" })
	slices.Sort(shown)
	if !slices.Equal(shown, drawn) {
		t.Errorf("slides.md has %d slides, of\n%q\nwant one for each of the %d drawings\n%q", len(shown), shown, len(drawn),
			drawn)
	}
}

// TestPlanAnswers tests that the notes of a deck have an answer to each question that a plan asks on a slide.
func TestPlanAnswers(t *testing.T) {
	for name, min := range map[string]int{"half-day.md": 8, "full-day.md": 7} {
		text, err := os.ReadFile("../../../site/content/instructors/" + name)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for _, m := range planBlock.FindAllStringSubmatch(string(text), -1) {
			block := attributes(m[1])
			if block["ask"] == "" {
				continue
			}
			if asked++; !strings.Contains(m[2], "\n**The answer** ") {
				t.Errorf("%s: %q asks %q, and has no paragraph that begins with **The answer**", name, block["title"],
					block["ask"])
			}
		}
		if asked < min {
			t.Errorf("%s asks %d questions, want %d or more", name, asked, min)
		}
	}
}
