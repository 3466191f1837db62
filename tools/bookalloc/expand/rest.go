package expand

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// The rest of a section after a prediction explains the answer, so it is folded: the page's script opens it when the
// reader has committed to a prediction, and without a script the reader opens it. It ends before the next heading.
const (
	restBegin = `<details class="ots-rest"><summary>Show the rest of this section</summary>`
	restEnd   = "</details>"
)

// restLevel is the level of the headings that end a rest. A subsection belongs to the rest.
const restLevel = 2

// endRests ends each rest of a section before the heading that follows it, or at the end of the page. A rest that
// begins within another one ends with it.
func endRests(text string) string {
	if !strings.Contains(text, restBegin) {
		return text
	}
	var out strings.Builder
	from := 0
	end := func(to int) {
		section := text[from:to]
		out.WriteString(section)
		for range strings.Count(section, restBegin) {
			if !strings.HasSuffix(section, "\n\n") {
				out.WriteString("\n")
			}
			out.WriteString(restEnd + "\n\n")
		}
		from = to
	}
	for _, heading := range Parse(text).Headings(restLevel) {
		end(heading)
	}
	end(len(text))
	return out.String()
}

// givesAway are the directives that show what a listing measures today.
var givesAway = []string{"figure", "table", "verdict", "pprof", "history"}

// givenAway reports the predictions that are asked too late, after the book has shown the answer, and the ones asked
// too early, before a page of the same chapter has shown the program.
func (x *expander) givenAway() (problems []error) {
	uses := x.book.uses().uses
	for i, u := range uses {
		if u.directive.Name != "predict" {
			continue
		}
		listing, benchmark, _ := predicted(u.directive.Args)
		at := func(u use) string {
			return fmt.Sprintf("%s:%d: %s", path.Join(x.book.Dir, x.book.Pages[u.page].Path), u.directive.Line,
				u.directive.Text)
		}
		shown := false
		for _, before := range uses[:i] {
			if before.kind.listings == nil || !slices.Contains(before.kind.listings(before.directive.Args), listing) {
				continue
			}
			if answers(before.directive, benchmark) {
				problems = append(problems,
					fmt.Errorf("%s: the answer is given away by %s: move it behind the question, or "+
						"show another program there", at(u), at(before)))
			}
			here := path.Dir(x.book.Pages[before.page].Path) == path.Dir(x.book.Pages[u.page].Path)
			shown = shown || here &&
				slices.Contains([]string{"listing", "run", "bench", "verdict"}, before.directive.Name)
		}
		if !shown {
			problems = append(problems,
				fmt.Errorf("%s: the reader has not seen the program: show it before the question", at(u)))
		}
	}
	return problems
}

// GivesAway returns an error if a page outside the book, such as the front page of the site, shows what a page of the
// book lets its reader predict.
func (b *Book) GivesAway(p Page) error {
	_, err := Parse(p.Text).Expand(p.Path, func(d Directive) (string, error) {
		kind, err := lookup(d)
		if err != nil || kind.listings == nil {
			return "", err
		}
		for _, u := range b.uses().uses {
			if u.directive.Name != "predict" {
				continue
			}
			listing, benchmark, _ := predicted(u.directive.Args)
			if slices.Contains(kind.listings(d.Args), listing) && answers(d, benchmark) {
				return "", fmt.Errorf("%s: it gives away the answer to %s on %s: show another program", d.Text,
					u.directive.Text, path.Join(b.Dir, b.Pages[u.page].Path))
			}
		}
		return "", nil
	})
	return err
}

// answers reports whether a directive about the listing of a prediction shows what the benchmark measures today.
func answers(d Directive, benchmark string) bool {
	switch {
	case !slices.Contains(givesAway, d.Name):
		return false
	case d.Name == "figure":
		of := optional(d.Args, 2)
		return !strings.Contains(d.Args[0], "@") && d.Args[1] != "go" && (of == benchmark || benchmark == "")
	}
	return true
}
