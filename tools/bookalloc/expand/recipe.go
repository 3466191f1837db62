package expand

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
)

// A Recipe is a page of the book with a recipe: what many programs write, what it costs, and what to write instead. Its
// directive {{#recipe BEFORE AFTER "term"…}} is the only place that names all this; the site's index is made of it.
type Recipe struct {
	Page   string   // "everyday-go/preallocate.md"
	Title  string   // the page's heading
	Lead   string   // Markdown: the page's first paragraph
	Terms  []string // what readers look for, as they write it in Go: "m[string(b)]++"
	Before RecipeBenchmark
	After  RecipeBenchmark
}

// A RecipeBenchmark is the benchmark of one of a recipe's two programs.
type RecipeBenchmark struct {
	Listing   string
	Benchmark string // "" if the listing has only one
}

// programOf reads "LISTING:BENCHMARK".
func programOf(arg string) RecipeBenchmark {
	listing, benchmark, _ := strings.Cut(arg, ":")
	return RecipeBenchmark{listing, benchmark}
}

// recipe shows a recipe's terms and what its two programs allocate today. Without arguments it lists all recipes.
func (x *expander) recipe(args []string) (string, error) {
	switch len(args) {
	case 0:
		return x.recipeTable()
	case 1, 2:
		return "", fmt.Errorf("use it as {{#recipe %s}}", recipeUsage)
	}
	before, after, on, err := x.recipeFigures(programOf(args[0]), programOf(args[1]))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("<p class=\"ots-caption\">%s: %s → %s allocs/op on %s</p>\n", codeSpans(args[2:]), before.span(),
		after.span(), on), nil
}

const recipeUsage = `LISTING[:BENCHMARK] LISTING[:BENCHMARK] "term"… (none for all recipes)`

// recipeFigures returns the allocs/op of a recipe's two programs, and the release of Go that they were measured on.
func (x *expander) recipeFigures(before, after RecipeBenchmark) (from, to figure, on string, err error) {
	from, err1 := x.figure([]string{before.Listing, "allocs", before.Benchmark})
	to, err2 := x.figure([]string{after.Listing, "allocs", after.Benchmark})
	release, err3 := x.figure([]string{after.Listing, "go"})
	return from, to, release.text, cmp.Or(err1, err2, err3)
}

// recipeTable lists all recipes with their terms and figures.
func (x *expander) recipeTable() (string, error) {
	recipes, err := x.book.Recipes()
	if err != nil {
		return "", err
	}
	if len(recipes) == 0 {
		return "", errors.New("the book has no recipe")
	}
	type row struct {
		Recipe
		Href, From, To, On string
	}
	var rows []row
	for _, r := range recipes {
		before, after, on, err := x.recipeFigures(r.Before, r.After)
		if err != nil {
			return "", err
		}
		rows = append(rows, row{r, x.href(r.Page), before.span(), after.span(), on})
	}
	return block("recipes", rows)
}

// codeSpans writes terms as code, with commas between them.
func codeSpans(terms []string) string {
	var spans []string
	for _, term := range terms {
		spans = append(spans, "<code>"+html.EscapeString(term)+"</code>")
	}
	return strings.Join(spans, ", ")
}

// recipePrograms returns the listings of a recipe's programs.
func recipePrograms(args []string) []string {
	if len(args) < 2 {
		return nil
	}
	return slices.Compact([]string{programOf(args[0]).Listing, programOf(args[1]).Listing})
}

// Recipes returns the book's recipes, in the order of its pages. The error joins the errors of all pages.
func (b *Book) Recipes() (all []Recipe, err error) {
	var problems []error
	shown := map[int]bool{}
	for _, u := range b.uses() {
		if u.directive.Name != "recipe" || len(u.directive.Args) < 3 {
			continue
		}
		p, document := b.Pages[u.page], b.parse()[u.page]
		at := b.at(u)
		if shown[u.page] {
			problems = append(problems, fmt.Errorf("%s: the page has a recipe already: give this one its own page", at))
		}
		shown[u.page] = true
		lead, err := lead(document)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", at, err))
		}
		args := u.directive.Args
		all = append(all, Recipe{Page: p.Path, Title: document.Title(), Lead: lead, Terms: args[2:],
			Before: programOf(args[0]), After: programOf(args[1])})
	}
	return all, errors.Join(problems...)
}

// lead returns the paragraph below the page's heading. The index shows it elsewhere, so it cannot have links.
func lead(document *Document) (string, error) {
	passages := document.Passages()
	if len(passages) < 2 || strings.HasPrefix(passages[1].Text, "{{#") || strings.Contains(passages[1].Text, "](") {
		return "", errors.New("write a paragraph without links between the page's heading and the recipe")
	}
	return passages[1].Text, nil
}
