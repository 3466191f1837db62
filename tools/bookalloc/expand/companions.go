package expand

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	Files    map[string]string        `json:"files"`
	Mistakes []bookdata.Misconception `json:"mistakes"`
}

// Texts returns files as they are in JSON.
func Texts(files map[string][]byte) map[string]string {
	texts := map[string]string{}
	for name, text := range files {
		texts[name] = string(text)
	}
	return texts
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
	files := maps.Clone(e.Files)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return slices.Contains(e.Edit, name) })
	names = slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(testOrder(e, a)-testOrder(e, b), strings.Compare(a, b))
	})
	c, err = newCompanion(e.ID+".tests.json", testsFile{Texts(files)})
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
	s := solutionFile{Texts(e.Solution), []bookdata.Misconception{}}
	mistakes, err := bookdata.ReadMeasuredMisconceptions(b.Files)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return companion{}, err
	}
	for _, m := range mistakes.Exercises[e.ID] {
		s.Mistakes = append(s.Mistakes, m.Misconception)
	}
	return newCompanion(e.ID+".solution.json", s)
}

// Companions returns the files that the pages fetch on demand, by name relative to the book's folder.
func (b *Book) Companions() (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, e := range b.Catalog {
		_, t, err1 := tests(e)
		s, err2 := b.answer(e)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		all[t.name], all[s.name] = t.text, s.text
	}
	return all, nil
}
