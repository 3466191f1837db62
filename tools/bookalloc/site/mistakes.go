package site

import (
	"fmt"

	"onthestack/internal/wrongturn"
	"onthestack/tools/bookalloc/expand"
)

// MistakesFile has an exercise's likely mistakes, in the site: a JSON array of Mistakes. The exercise's page fetches it when its
// address ends in "?try=NAME".
func MistakesFile(id string) string { return "exercises/" + id + "/mistakes.json" }

// A Mistake is a likely mistake as an editor takes it.
type Mistake struct {
	Name  string            `json:"name"`
	Title string            `json:"title"`
	Files map[string]string `json:"files"` // all that a solver may edit, with the change made
}

// mistakes are those of each exercise, by its id; an exercise without any has none.
func mistakes(book *expand.Book) (map[string][]Mistake, error) {
	measured, err := wrongturn.ReadMeasured(book.Files)
	if err != nil {
		return nil, err
	}
	all := map[string][]Mistake{}
	for _, e := range book.Catalog {
		for _, turn := range measured.Exercises[e.ID] {
			changed, err := turn.Apply(e.Starter())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", wrongturn.Path(e.ID, turn.Name), err)
			}
			m := Mistake{turn.Name, turn.Title, map[string]string{}}
			for name, text := range changed {
				m.Files[name] = string(text)
			}
			all[e.ID] = append(all[e.ID], m)
		}
	}
	return all, nil
}
