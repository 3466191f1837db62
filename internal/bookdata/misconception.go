package bookdata

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// MisconceptionDir returns the folder of an exercise's misconceptions, slash-separated and relative to the root of the
// repository.
func MisconceptionDir(id string) string { return "solutions/" + id + "/wrong" }

// MisconceptionExt is the extension of their files.
const MisconceptionExt = ".diff"

// MisconceptionPath returns the file of a misconception, slash-separated and relative to the root of the repository.
func MisconceptionPath(id, name string) string {
	return MisconceptionDir(id) + "/" + name + MisconceptionExt
}

// A Misconception is a likely mistake: a change to an exercise's starter that does not pass, with the reason why a
// learner might make it and advice on what to say. Pages and messages say "likely mistake". The authors wrote them;
// they were not observed in a class. Each is a file solutions/exerciseN/wrong/NAME.diff.
//
// Its file begins with a paragraph for each of Title, Why and Say. A unified diff of the exercise's folder follows, so
// that an instructor can make the change with "git apply" in front of a class.
type Misconception struct {
	Name  string `json:"name"` // of its file, without MisconceptionExt
	Title string `json:"title"`
	Why   string `json:"why"` // why a learner might make it
	Say   string `json:"say"` // what to say to them
	// Diff is the unified diff from its first "@@" on, without the names of the files.
	Diff string `json:"diff"`
	File string `json:"file"` // base name of the file that it changes
}

// ParseMisconceptions reads the misconceptions about an exercise in the order of their names, of the files of its
// MisconceptionDir that have the extension MisconceptionExt. The error joins the errors of all files that cannot be
// read.
func ParseMisconceptions(id string, files map[string][]byte) ([]Misconception, error) {
	var all []Misconception
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != MisconceptionExt {
			continue
		}
		m, err := parseMisconception(id, string(files[name]))
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", path.Join(MisconceptionDir(id), name), err))
			continue
		}
		m.Name = strings.TrimSuffix(name, MisconceptionExt)
		all = append(all, m)
	}
	return all, errors.Join(problems...)
}

func parseMisconception(id, text string) (t Misconception, err error) {
	head, diff, found := strings.Cut(text, "\n--- ")
	if !found {
		return t, errors.New("no diff in it: \"git diff\" prints one")
	}
	// git writes a line or two of its own above the diff.
	if at := strings.Index("\n"+head, "\ndiff --git "); at >= 0 {
		head = head[:max(at-1, 0)]
	}
	paragraphs := strings.Split(strings.TrimSpace(head), "\n\n")
	if len(paragraphs) != 3 {
		return t, errors.New("it must begin with three paragraphs: a title, why a learner would try it, what to say")
	}
	for i, to := range []*string{&t.Title, &t.Why, &t.Say} {
		*to = strings.Join(strings.Fields(paragraphs[i]), " ")
	}
	names, hunks, found := strings.Cut(diff, "\n@@ ")
	_, to, renamed := strings.Cut(names, "\n+++ ")
	if to, _, _ = strings.Cut(to, "\t"); !found || !renamed {
		return t, errors.New("its diff has no \"+++\" line and \"@@\" below \"---\"")
	}
	folder := "b/exercises/" + id + "/"
	name, ok := strings.CutPrefix(to, folder)
	if !ok || name == "" || strings.Contains(name, "/") {
		return t, fmt.Errorf("it changes %s, which is not a file of %s", to, folder)
	}
	if t.Diff = "@@ " + hunks; strings.Contains(t.Diff, "\n--- ") || strings.Contains(t.Diff, "\ndiff --git ") {
		return t, errors.New("it changes several files: a page has room for one")
	}
	t.File = name
	return t, nil
}

// Apply returns a copy of the files with the change made. Like "git apply", it fails if the diff does not fit exactly.
func (t *Misconception) Apply(files map[string][]byte) (map[string][]byte, error) {
	old, ok := files[t.File]
	if !ok {
		return nil, fmt.Errorf("it changes %s, which a solver may not edit", t.File)
	}
	changed, err := patch(old, t.Diff)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(files)
	all[t.File] = changed
	return all, nil
}

// patch applies a unified diff, given from its first "@@" on. It refuses hunks that add lines without context, which
// go-gitdiff and git apply insert in different places, and lines beyond the length that a hunk states, which go-gitdiff
// ignores.
func patch(old []byte, diff string) ([]byte, error) {
	files, _, err := gitdiff.Parse(strings.NewReader("--- a/file\n+++ b/file\n" + diff))
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("%d files instead of one", len(files))
	}
	if err != nil {
		return nil, fmt.Errorf("read its diff, counting its first \"@@\" as line 3: %w: make it again with \"git "+
			"diff\"", err)
	}
	lines := 0
	for _, hunk := range files[0].TextFragments {
		if hunk.OldLines == 0 && len(old) > 0 {
			return nil, fmt.Errorf("its diff adds lines below line %d without context: make it again with \"git diff\"",
				hunk.OldPosition)
		}
		lines += 1 + len(hunk.Lines)
		for _, line := range hunk.Lines {
			if line.NoEOL() {
				lines++ // for "\ No newline at end of file"
			}
		}
	}
	if lines != strings.Count(diff, "\n") {
		return nil, errors.New("a part of its diff is longer than its \"@@\" line says: make it again with \"git " +
			"diff\"")
	}
	var changed bytes.Buffer
	if err := gitdiff.Apply(&changed, bytes.NewReader(old), files[0]); err != nil {
		if at, ok := errors.AsType[*gitdiff.ApplyError](err); ok && at.Line > 0 {
			return nil, fmt.Errorf("its diff does not fit the starter at line %d: make it again", at.Line)
		}
		return nil, fmt.Errorf("its diff does not fit the starter: %w: make it again", err)
	}
	return changed.Bytes(), nil
}
