package expand

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestClaims(t *testing.T) {
	const (
		grow    = "first/listings/grow"  // changes on go1.12 only
		still   = "first/listings/still" // measured from go1.22 on, never changes
		missing = ` has no source: link the words to it, or add the sentence to book/claims.toml`
	)
	entry := func(text, source string) string {
		return "[\"first/page.md\"]\n" + `'` + text + `' = '` + source + "'\n"
	}
	at := func(text string) string { return `book/claims.toml: first/page.md: "` + text + `": ` }
	for _, test := range []struct{ name, page, list, want string }{
		{"no claim", "On Go 1.8 it allocates twice, and on Go 1.9 as well.", "", ""},
		{"bare", "It is so\n\nsince Go 1.5.", "", `book/first/page.md:3: "since Go 1.5"` + missing},
		{"over two lines", "One.\nTwo since\nGo 1.5.", "", `book/first/page.md:2: "since Go 1.5"` + missing},
		{"without Go", "So it was up to 1.11.", "", `book/first/page.md:1: "up to 1.11"` + missing},
		{"until", "So it was until Go 1.11.", "", `book/first/page.md:1: "until Go 1.11"` + missing},
		{"before", "Before Go 1.17 it was so.", "", `book/first/page.md:1: "Before Go 1.17"` + missing},
		{"from", "From Go 1.17 on it is so.", "", `book/first/page.md:1: "From Go 1.17"` + missing},
		{"verb", "Go 1.12 brought it.", "", `book/first/page.md:1: "Go 1.12 brought"` + missing},
		{"another verb", "Go 1.26 makes it so.", "", `book/first/page.md:1: "Go 1.26 makes"` + missing},
		{"in a heading", "## Since Go 1.22", "", `book/first/page.md:1: "Since Go 1.22"` + missing},
		{"in a table", "| a | b |\n|---|---|\n| x | since Go 1.5 |", "",
			`book/first/page.md:3: "since Go 1.5"` + missing},
		{"in code", "```text\nsince Go 1.5\n```\n\n    since Go 1.5", "", ""},
		{"in a directive", `{{#drawing first/frame.svg "Up to Go 1.11: x"}}`, "",
			`book/first/page.md:1: "Up to Go 1.11"` + missing},

		{"linked", "It is so [since Go 1.5](https://go.dev/doc/go1.5).", "", ""},
		{"linked release", "It is so since [Go 1.5](https://go.dev/doc/go1.5).", "", ""},
		{"linked elsewhere", "It is so [since Go 1.5](https://example.org/).", "",
			`book/first/page.md:1: "since Go 1.5"` + missing},
		{"linked beside it", "It is so since Go 1.5, says [x](https://go.dev/issue/1).", "",
			`book/first/page.md:1: "since Go 1.5"` + missing},

		{"read", "It is so\nsince Go 1.5.", entry("so since Go 1.5", "https://go.dev/doc/go1.5"), ""},
		{"two, one read", "Since Go 1.5 a. Since Go 1.6 b.", entry("Since Go 1.5 a", "https://go.dev/doc/go1.5"),
			`book/first/page.md:1: "Since Go 1.6"` + missing},
		{"not on the page", "Since Go 1.5 [a](https://x.org).", entry("Since Go 1.6", "https://go.dev"),
			at("Since Go 1.6") + "the page does not say so: correct the text, or remove it\n" +
				`book/first/page.md:1: "Since Go 1.5"` + missing},
		{"no claim in the list", "It is so.", entry("It is so", "https://go.dev"),
			at("It is so") + "it claims nothing of a release of Go: quote more of the sentence, or remove it"},
		{"no page", "It is so.", "[\"first/none.md\"]\n'since Go 1.5' = 'https://go.dev'\n",
			"book/claims.toml: no page first/none.md: correct its name, or remove it"},

		{"measured", "Since Go 1.12 it is so.", entry("Since Go 1.12 it", grow), ""},
		{"measured before", "Up to Go 1.8 it was so.", entry("Up to Go 1.8 it", grow), ""},
		{"measured otherwise", "Since Go 1.8 it is so.", entry("Since Go 1.8 it", grow),
			at("Since Go 1.8 it") + grow +
				" did not change on go1.8 in measured/history.json: correct the sentence, or " +
				"name another source"},
		{"measured the same", "From Go 1.22 on it is so.", entry("From Go 1.22 on", still), ""},
		{"not measured", "Since Go 1.12 it is so.", entry("Since Go 1.12 it", "first/listings/none"),
			at("Since Go 1.12 it") +
				`its source "first/listings/none" is neither an https address nor a listing that is ` +
				"measured on old releases"},

		{"column", "| a | since |\n|---|---|\n| x | 1.12, 1.5 |\n| y | always |", "",
			`book/first/page.md:3: "1.12"` + missing + "\n" + `book/first/page.md:3: "1.5"` + missing},
		{"column, read", "| a | since |\n|---|---|\n| an x | 1.12 |", entry("an x", "https://go.dev"), ""},
		{"column, measured", "| a | since |\n|---|---|\n| an x | 1.12 |", entry("an x", grow), ""},
		{"column, measured otherwise", "| a | since |\n|---|---|\n| an x | 1.8 |", entry("an x", grow),
			at("an x") + grow +
				" did not change on go1.8 in measured/history.json: correct the sentence, or name another " +
				"source"},
		{"column, on the linked page",
			"| a | since |\n|---|---|\n| [x](page.md#y) | 1.12 |\n\n[Since Go 1.12](https://go.dev/cl/1)", "", ""},
		{"column, not on the linked page", "| a | since |\n|---|---|\n| [x](two.md) | 1.12 |", "",
			`book/first/page.md:3: "1.12"` + missing},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := open(t, test.page+"\n", "# Another page of the same name\n")
			b.Pages[1].Path = "first/two.md"
			files := fstest.MapFS{ClaimsFile: {Data: []byte(test.list)}}
			if err := copyFiles(files, fixture); err != nil {
				t.Fatal(err)
			}
			b.Files = files
			var got []string
			for _, err := range newExpander(b).claims() {
				got = append(got, err.Error())
			}
			if got := strings.Join(got, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
