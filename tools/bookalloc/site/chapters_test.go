package site

import (
	"reflect"
	"strings"
	"testing"

	"onthestack/tools/bookalloc/expand"
)

func TestCredits(t *testing.T) {
	const head = "# Credits\n\n| chapter | article | year |\n|---|---|---|\n"
	got, err := credits(head +
		"| [One](one/README.md) | *A walk by night*, third of `four` & more, by Ada By Lane | 2017 |\n" +
		"| [Two](two/README.md) | the quiz, by B |2021|\n")
	want := map[string]*Article{
		"one": {"<cite>A walk by night</cite>, third of <code>four</code> &amp; more", "Ada By Lane", 2017},
		"two": {"the quiz", "B", 2021},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{
		"| [One](one/README.md) | *A walk* | 2017 |",
		"| [One](one/README.md) | *A walk*, by A | in 2017 |",
		"| [One](one.md) | *A walk*, by A | 2017 |",
	} {
		if _, err := credits(head + bad + "\n"); err == nil || !strings.HasPrefix(err.Error(), "5: ") {
			t.Errorf("%s: got %v, want an error with the line", bad, err)
		}
	}
}

func TestChapters(t *testing.T) {
	pages := []expand.Page{
		{Path: "one/README.md", Text: "# One\n"}, {Path: "two/README.md", Text: "# Two\n"},
		{Path: "credits.md", Text: "| [One](one/README.md) | *A walk*, by A | 2017 |\n"},
	}
	got, err := chapters(&expand.Book{Dir: "book", Pages: pages})
	want := []Chapter{{"one", "One", "/book/one/", &Article{"<cite>A walk</cite>", "A", 2017}},
		{"two", "Two", "/book/two/", nil}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, _ := bookPages(&expand.Book{Dir: "book", Pages: pages}); !reflect.DeepEqual(got,
		[]string{"/book/one/", "/book/two/", "/book/credits.html"}) {
		t.Errorf("the pages for the sitemap: %v", got)
	}
	pages[2].Text = "| [One](one/README.md) | *A walk*, by A | 2017 |\n| [Gone](gone/README.md) | *B*, by B | 2018 |\n"
	if _, err := chapters(&expand.Book{Dir: "book", Pages: pages}); err == nil || !strings.Contains(err.Error(),
		"book/credits.md: no chapter gone") {
		t.Errorf("got %v, want an error that names the chapter", err)
	}
	pages[2].Text = "| [One](one/README.md) | nobody | 2017 |\n"
	if _, err := chapters(&expand.Book{Dir: "book", Pages: pages}); err == nil || !strings.HasPrefix(err.Error(),
		"book/credits.md:1: ") {
		t.Errorf("got %v, want an error with the place", err)
	}
}
