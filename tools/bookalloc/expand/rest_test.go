package expand

import (
	"slices"
	"strings"
	"testing"
)

// TestRest tests that the rest of a section is folded after a prediction, with its subsections, up to the next section.
func TestRest(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"up to the next section",
			"# A\n\n{{#predict first/listings/grow}}\n\nOne.\n\n### B\n\nTwo.\n\n## C\n\nThree.\n",
			"# A ( One. ### B Two. ) ## C Three."},
		{"two questions", "# A\n\n{{#predict first/listings/grow}}\n\nOne.\n\n" +
			"{{#predict first/listings/still BenchmarkLong}}\n\nTwo.\n\n## B\n",
			"# A ( One. ( Two. ) ) ## B"},
		{"to the end of the page", "# A\n\n{{#predict first/listings/grow}}\n\nOne.\n", "# A ( One. )"},
		{"not in a list", "# A\n\n- B\n\n  {{#predict first/listings/grow}}\n\nOne.\n", "# A - B One."},
	} {
		expanded, err := open(t, test.page).Expand()
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for line := range strings.Lines(expanded[0]) {
			line = strings.TrimSpace(line)
			switch {
			case line == restBegin:
				line = "("
			case line == restEnd:
				line = ")"
			case strings.HasPrefix(line, "<"):
				continue
			}
			words = append(words, strings.Fields(line)...)
		}
		if got := strings.Join(words, " "); got != test.want {
			t.Errorf("%s: got  %s\nwant %s", test.name, got, test.want)
		}
	}
}

// TestGivenAway tests that a page that shows the answer to a prediction before the question is reported.
func TestGivenAway(t *testing.T) {
	const shown, ask = "{{#listing first/listings/grow/grow.go:grow}}\n\n", "{{#predict first/listings/grow}}\n\n"
	for _, test := range []struct{ name, page, want string }{
		{"asked first", shown + ask + "{{#table first/listings/grow}}\n", ""},
		{"the program comes late", ask + shown, "the reader has not seen the program"},
		{"a figure", shown + "{{#figure first/listings/grow allocs}}\n\n" + ask,
			"{{#figure first/listings/grow allocs}}"},
		{"a figure of another release", shown + "{{#figure first/listings/grow@go1.8 allocs}}\n\n" + ask, ""},
		{"the release", shown + "{{#figure first/listings/grow go}}\n\n" + ask, ""},
		{"a table of several", shown + "{{#table first/listings/still first/listings/grow}}\n\n" + ask, "{{#table"},
		{"a grid", shown + "{{#history first/listings/grow}}\n\n" + ask, "{{#history"},
	} {
		problems := newExpander(open(t, test.page)).givenAway()
		wanted := func(err error) bool { return strings.Contains(err.Error(), test.want) }
		if test.want == "" && len(problems) > 0 ||
			test.want != "" && !slices.ContainsFunc(problems, wanted) {
			t.Errorf("%s: got %v, want %q", test.name, problems, test.want)
		}
	}
	b := open(t, shown+ask)
	if err := b.GivesAway(Page{"_index.md", "{{#verdict first/listings/grow}}\n"}); !strings.Contains(message(err),
		"_index.md:1: {{#verdict first/listings/grow}}") {
		t.Errorf("of the front page: got %v", err)
	}
	if err := b.GivesAway(Page{"_index.md", "{{#verdict first/listings/still}}\n"}); err != nil {
		t.Errorf("of another program: got %v", err)
	}
}
