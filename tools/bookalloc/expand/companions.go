package expand

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

// CompanionsDir is the folder, relative to the book's, for the files that pages fetch on demand.
const CompanionsDir = "widgets/exercises"

// A testsFile is the JSON with an exercise's tests and benchmark, which a page fetches to show them.
type testsFile struct {
	Files map[string]string `json:"files"`
}

// A solutionFile is the JSON with an exercise's solution. A page fetches it once the reader's code has passed, or on
// request.
type solutionFile struct {
	Files    map[string]string `json:"files"`
	Mistakes []mistake         `json:"mistakes"`
}

// A mistake is a likely mistake: a change to the starter that does not pass.
type mistake struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Why   string `json:"why"` // a learner might try it
	Say   string `json:"say"` // why it does not pass
	Diff  string `json:"diff"`
}

// A companion is a file in CompanionsDir.
type companion struct {
	name string // relative to the book's folder
	text []byte
}

func newCompanion(name string, v any) (companion, error) {
	text, err := json.Marshal(v)
	return companion{CompanionsDir + "/" + name, append(text, '\n')}, err
}

// href returns the file's URL relative to the book's folder. It contains a hash of the content, so that no cache
// answers with another version.
func (c companion) href() string {
	sum := sha256.Sum256(c.text)
	return c.name + "?v=" + hex.EncodeToString(sum[:5])
}

// tests returns the files that the solver does not edit.
func tests(e *exercise.Exercise) (names []string, c companion, err error) {
	t := testsFile{Files: map[string]string{}}
	for name, text := range e.Files {
		if !slices.Contains(e.Edit, name) {
			t.Files[name] = string(text)
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := testOrder(e, a) - testOrder(e, b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	c, err = newCompanion(e.ID+".tests.json", t)
	return names, c, err
}

// testOrder sorts the tests of an edited file first, then the benchmark, then the helpers that generate inputs for
// both.
func testOrder(e *exercise.Exercise, name string) int {
	switch {
	case slices.Contains(e.Edit, strings.Replace(name, "_test.go", ".go", 1)):
		return 0
	case name == "bench_test.go":
		return 1
	}
	return 2
}

// answer returns an exercise's solution together with its likely mistakes.
func (b *Book) answer(e *exercise.Exercise) (companion, error) {
	s := solutionFile{Files: map[string]string{}, Mistakes: []mistake{}}
	for name, text := range e.Solution {
		s.Files[name] = string(text)
	}
	mistakes, err := bookdata.ReadMeasuredMisconceptions(b.Files)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return companion{}, err
	}
	if err == nil {
		for _, m := range mistakes.Exercises[e.ID] {
			s.Mistakes = append(s.Mistakes, mistake{m.Name, m.Title, m.Why, m.Say, m.Diff})
		}
	}
	return newCompanion(e.ID+".solution.json", s)
}

// Companions returns the files that the pages fetch on demand, by name relative to the book's folder.
func (b *Book) Companions() (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, e := range b.Catalog {
		_, t, err := tests(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		s, err := b.answer(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		all[t.name], all[s.name] = t.text, s.text
	}
	return all, nil
}
