package site

import (
	"fmt"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

// MistakesFile is the site's file with an exercise's likely mistakes, a JSON array of Mistake. The exercise's page
// fetches it if its address ends in "?try=NAME".
func MistakesFile(id string) string { return "exercises/" + id + "/mistakes.json" }

// A Mistake is a likely mistake in the form that an editor loads.
type Mistake struct {
	Name  string            `json:"name"`
	Title string            `json:"title"`
	Files map[string]string `json:"files"` // all files that a solver may edit, with the change applied
	// Benchmarks are its figures, by which a page recognizes the mistake in a reader's code. It is empty if an earlier
	// stage fails.
	Benchmarks []bookdata.MisconceptionBenchmark `json:"benchmarks"`
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
			all[e.ID] = append(all[e.ID],
				Mistake{found.Name, found.Title, expand.Texts(changed), found.Result.Benchmarks})
		}
	}
	return all, nil
}
