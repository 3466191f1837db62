package site

import (
	"cmp"
	"fmt"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

// ExerciseMisconceptions are the likely mistakes on an exercise.
type ExerciseMisconceptions struct {
	Exercise       string          `json:"exercise"`
	Title          string          `json:"title"`
	Chapter        string          `json:"chapter"`
	Go             string          `json:"go"` // release that measured them, with its platform
	Misconceptions []Misconception `json:"misconceptions"`
}

// A Misconception is a likely mistake on an exercise, with its diff as lines.
type Misconception struct {
	bookdata.MeasuredMisconception
	Apply   string     `json:"apply"` // the file for "git apply", from the repository's root
	Changes []DiffLine `json:"changes"`
	Lines   int        `json:"changed_lines"` // number of added and removed lines
}

// A DiffLine is a line of a diff.
type DiffLine struct {
	Kind string `json:"kind"` // "same", "gone", "new" or "skip", the beginning of a hunk
	Text string `json:"text"` // without the sign
}

func misconceptions(book *expand.Book) (all []ExerciseMisconceptions, err error) {
	measured, err := bookdata.ReadMeasuredMisconceptions(book.Files)
	if err != nil {
		return nil, err
	}
	for _, e := range book.Catalog {
		w := ExerciseMisconceptions{Exercise: e.ID, Title: e.Title, Chapter: e.Chapter, Go: measured.Go +
			" " + measured.Platform,
			Misconceptions: []Misconception{}}
		for _, found := range measured.Exercises[e.ID] {
			m := Misconception{MeasuredMisconception: found, Apply: bookdata.MisconceptionPath(e.ID, found.Name)}
			for line := range strings.Lines(found.Diff) {
				l := diffLine(strings.TrimSuffix(line, "\n"))
				m.Changes = append(m.Changes, l)
				if l.Kind == "gone" || l.Kind == "new" {
					m.Lines++
				}
			}
			m.Changes = trimmed(m.Changes)
			w.Misconceptions = append(w.Misconceptions, m)
		}
		all = append(all, w)
	}
	return all, nil
}

// trimmed removes empty lines from both ends of each part of a diff.
func trimmed(lines []DiffLine) []DiffLine {
	empty := func(l DiffLine) bool { return l.Kind == "same" && l.Text == "" }
	var rest []DiffLine
	for i, l := range lines {
		last := i+1 == len(lines) || lines[i+1].Kind == "skip"
		if first := i > 0 && lines[i-1].Kind == "skip"; empty(l) && (first || last) {
			continue
		}
		rest = append(rest, l)
	}
	return rest
}

var kinds = map[byte]string{'-': "gone", '+': "new"}

func diffLine(line string) DiffLine {
	switch {
	case line == "":
		return DiffLine{"same", ""}
	case line[0] == '@':
		return DiffLine{"skip", ""}
	}
	return DiffLine{cmp.Or(kinds[line[0]], "same"), line[1:]}
}

// mistakesFile is the site's file with an exercise's likely mistakes, a JSON array of Mistake. The exercise's page
// fetches it if its address ends in "?try=NAME".
func mistakesFile(id string) string { return "exercises/" + id + "/mistakes.json" }

// A Mistake is a likely mistake in the form that an editor loads.
type Mistake struct {
	Name  string            `json:"name"`
	Title string            `json:"title"`
	Files map[string]string `json:"files"` // all files that a solver may edit, with the change applied
}

// mistakes returns the likely mistakes by the exercise's id. Exercises without any are not in the map.
func mistakes(book *expand.Book) (map[string][]Mistake, error) {
	measured, err := bookdata.ReadMeasuredMisconceptions(book.Files)
	if err != nil {
		return nil, err
	}
	all := map[string][]Mistake{}
	for _, e := range book.Catalog {
		for _, found := range measured.Exercises[e.ID] {
			changed, err := found.Apply(e.Starter())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", bookdata.MisconceptionPath(e.ID, found.Name), err)
			}
			all[e.ID] = append(all[e.ID], Mistake{found.Name, found.Title, expand.Texts(changed)})
		}
	}
	return all, nil
}
