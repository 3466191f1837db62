package expand

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A prediction is a question that a page has asked its reader, with the ID of its block.
type prediction struct {
	use
	id string
}

// fold folds what a directive shows of the answer to an earlier prediction of the same page. The page's script opens it
// when the reader has committed to a prediction, and without a script the reader opens it. A figure within a sentence is
// only marked, so that the sentence can be read, and the script hides its number.
func (x *expander) fold(d Directive, kind directive, text string) string {
	for _, p := range x.predictions {
		switch {
		case !(use{directive: d, kind: kind}).answers(p.use):
		case kind.figure != nil:
			return fmt.Sprintf(`<span class="ots-folded" data-question="%s">%s</span>`, p.id, text)
		default:
			return fmt.Sprintf("<details class=\"ots-folded\" data-question=\"%s\"><summary>Show the figures</summary>\n\n"+
				"%s\n\n</details>\n", p.id, strings.TrimSpace(text))
		}
	}
	return text
}

// givesAway are the directives that show what a listing measures today.
var givesAway = []string{"figure", "table", "verdict", "pprof", "history", "output"}

// givenAway reports the predictions that are asked too late, after the book has shown the answer, and the ones asked
// too early, before a page of the same chapter has shown the program.
func (x *expander) givenAway() (problems []error) {
	uses := x.book.uses()
	for i, u := range uses {
		if u.directive.Name != "predict" {
			continue
		}
		listing, _, _ := predicted(u.directive.Args)
		shown := false
		for _, before := range uses[:i] {
			if !before.about(listing) {
				continue
			}
			if before.answers(u) {
				problems = append(problems,
					fmt.Errorf("%s: the answer is given away by %s: move it behind the question, or "+
						"show another program there", x.book.at(u), x.book.at(before)))
			}
			here := path.Dir(x.book.Pages[before.page].Path) == path.Dir(x.book.Pages[u.page].Path)
			shown = shown || here &&
				slices.Contains([]string{"listing", "diff", "run", "bench", "verdict"}, before.directive.Name)
		}
		if !shown {
			problems = append(problems,
				fmt.Errorf("%s: the reader has not seen the program: show it before the question", x.book.at(u)))
		}
	}
	return problems
}

// asksForBytes reports whether the chapter of a listing asks for a program's B/op after the directive {{#steps}} with
// these arguments on this page. Pages outside the book come before all of it.
func (x *expander) asksForBytes(args []string) bool {
	after := x.outside
	for _, u := range x.book.uses() {
		d := u.directive
		switch {
		case d.Name == "steps" && x.book.Pages[u.page].Path == x.page && slices.Equal(d.Args, args):
			after = true
		case d.Name == "predict" && after:
			if listing, _, bytes := predicted(d.Args); bytes && chapterOf(listing) == chapterOf(args[0]) {
				return true
			}
		}
	}
	return false
}

// GivesAway returns an error if a page outside the book, such as the front page of the site, shows what a page of the
// book lets its reader predict.
func (b *Book) GivesAway(p Page) error {
	_, err := Parse(p.Text).Expand(p.Path, func(d Directive) (string, error) {
		kind, err := lookup(d)
		if err != nil {
			return "", err
		}
		for _, u := range b.uses() {
			if u.directive.Name != "predict" {
				continue
			}
			if (use{directive: d, kind: kind}).answers(u) {
				return "", fmt.Errorf("%s: it gives away the answer to %s on %s: show another program", d.Text,
					u.directive.Text, path.Join(b.Dir, b.Pages[u.page].Path))
			}
		}
		return "", nil
	})
	return err
}

// answers reports whether a directive shows what a prediction asks for.
func (u use) answers(prediction use) bool {
	listing, benchmark, _ := predicted(prediction.directive.Args)
	d := u.directive
	if d.Name == "figure" && (strings.Contains(d.Args[0], "@") || d.Args[1] == "go" ||
		benchmark != "" && benchmark != optional(d.Args, 2)) {
		return false
	}
	if d.Name == "output" && !strings.Contains(d.Text, " -bench ") { // the output of a test has no figures
		return false
	}
	return slices.Contains(givesAway, d.Name) && u.about(listing)
}
