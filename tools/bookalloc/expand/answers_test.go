package expand

import (
	"slices"
	"strings"
	"testing"
)

// TestFold tests that what shows the answer to a prediction is folded behind it, and nothing else.
func TestFold(t *testing.T) {
	const ask, of = "{{#predict first/listings/grow}}\n\n", ` class="ots-folded" data-question="predict-first-grow">`
	for _, test := range []struct {
		name, page     string
		blocks, inline int
	}{
		{"a table", ask + "One.\n\n{{#table first/listings/grow}}\n\nTwo.\n", 1, 0},
		{"a figure", ask + "It is {{#figure first/listings/grow allocs}}, in words.\n", 0, 1},
		{"in later sections", ask + "## B\n\n{{#history first/listings/grow}}\n\n{{#verdict first/listings/grow}}\n", 2, 0},
		{"the release", ask + "On {{#figure first/listings/grow go}}.\n", 0, 0},
		{"another listing", ask + "{{#table first/listings/still}}\n", 0, 0},
		{"no question", "{{#table first/listings/grow}}\n", 0, 0},
	} {
		expanded, err := open(t, test.page).Expand()
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Count(expanded[0], "<details"+of+"<summary>Show the figures</summary>\n\n")
		if inline := strings.Count(expanded[0], "<span"+of); blocks != test.blocks || inline != test.inline {
			t.Errorf("%s: %d blocks and %d figures are folded, want %d and %d:\n%s", test.name, blocks, inline,
				test.blocks, test.inline, expanded[0])
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

// TestUnsizedSteps tests that steps do not tell the sizes that a later question of their chapter asks for.
func TestUnsizedSteps(t *testing.T) {
	const (
		steps = "{{#steps first/listings/hello main.go}}\n\n"
		ask   = "{{#predict first/listings/grow}}\n\n"
		bytes = "{{#predict first/listings/grow bytes}}\n\n"
		told  = "heap object 2, 24 B, made on line 7"
	)
	for _, test := range []struct {
		name, page string
		told       bool
	}{
		{"no question", steps, true},
		{"a question about allocs/op", steps + ask, true},
		{"an earlier question", bytes + steps, true},
		{"a later question", steps + bytes, false},
	} {
		expanded, err := open(t, test.page).Expand()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(expanded[0], told); got != test.told ||
			!test.told && strings.Contains(expanded[0], `"bytes":24`) {
			t.Errorf("%s: the sizes are told: %t, want %t", test.name, got, test.told)
		}
	}
	expanded, err := open(t, bytes).Aside([]Page{{"_index.md", steps}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(expanded[0], told) {
		t.Error("the front page tells a size that the book asks for")
	}
}
