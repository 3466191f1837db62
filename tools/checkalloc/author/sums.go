package author

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
)

// sumsFile records the exercises whose mutants were run, each with a sum over its files and its review, so that mutants
// run again only if one of these changes. It is slash-separated from the repository's root.
const sumsFile = "solutions/mutants.sum"

// readSums reads the recorded sums by exercise, and returns nil if there is no record.
func (a *Author) readSums() (map[string]string, error) {
	text, err := safefile.ReadFile(a.Clone.Root, sumsFile, 1<<20)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		id, sum, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is no exercise with its sum: remove the file, then run %q", sumsFile, line,
				recordCommand)
		}
		sums[id] = sum
	}
	return sums, nil
}

// recordCommand runs all mutants and writes sumsFile.
const recordCommand = "go run ./tools/checkalloc dev mutants --record"

// mutantsSum returns the sum over what the statuses of an exercise's mutants, and the verdict on them, depend on: its
// files and the findings on its mutants.
func mutantsSum(e *exercise.Exercise, findings map[string]finding) (string, error) {
	_, archive, err := sealWithoutFigures(e)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%x\n", sha256.Sum256(archive))
	for _, key := range slices.Sorted(maps.Keys(findings)) {
		fmt.Fprintf(hash, "%v %q\n", findings[key].equivalent, key)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// sealWithoutFigures returns the archive of an exercise without its figures, on which no verdict depends.
func sealWithoutFigures(e *exercise.Exercise) (name string, archive []byte, err error) {
	sealed := *e
	sealed.Figures = nil
	return exercise.Seal(&sealed)
}

// compareSums reports whether the mutants of all these exercises were run on their current files, and prints the
// exercises for which they were not.
func (a *Author) compareSums(exercises []*exercise.Exercise, recorded map[string]string) (good bool, err error) {
	review, err := a.readReview()
	if err != nil {
		return false, err
	}
	good = true
	for _, e := range exercises {
		sum, err := mutantsSum(e, review[e.ID])
		if err != nil {
			return false, err
		}
		if sum != recorded[e.ID] {
			good = false
			fmt.Fprintf(a.Out, "%s: it has changed since its mutants were run: run \"%s %s\"\n", e.ID, recordCommand, e.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(recorded)) {
		if _, err := os.Stat(filepath.Join(a.Clone.Root, "exercises", id)); err != nil {
			good = false
			fmt.Fprintf(a.Out, "%s: %s is recorded, but there is no such exercise: run %q\n", sumsFile, id, recordCommand)
		}
	}
	return good, nil
}

// recordSums records that the mutants of exercises were run on their current files. The record of other exercises is
// left as it is, unless all is true.
func (a *Author) recordSums(exercises []*exercise.Exercise, all bool) error {
	sums, err := a.readSums()
	if err != nil {
		return err
	}
	if sums == nil || all {
		sums = map[string]string{}
	}
	review, err := a.readReview()
	if err != nil {
		return err
	}
	for _, e := range exercises {
		if sums[e.ID], err = mutantsSum(e, review[e.ID]); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&text, "%s %s\n", id, sums[id])
	}
	return safefile.Write(filepath.Join(a.Clone.Root, filepath.FromSlash(sumsFile)), text.Bytes(), 0o644)
}
