package author

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/exercise"
)

// A review has people's findings on the surviving mutants of the exercises, by the exercise's name and the
// mutant's key.
type review map[string]map[string]finding

// A finding is why a mutant survives.
type finding struct {
	// equivalent is true if the mutant does the task as well as the solution, so that no test may distinguish them.
	equivalent bool
	reason     string
	line       int // in the file that the review was read from
}

// parseReview reads a review. A line without indentation is the name of an exercise. Below it, a line with one tab is a
// reason, which begins with "equivalent: " or "survives: ", and the lines with two tabs below that are the keys of the
// mutants that it applies to. Empty lines and lines that begin with # are ignored.
func parseReview(text string) (review, error) {
	r := review{}
	var exercise, reason string
	var equivalent bool
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \r\n")
		bad := func(what string) error { return fmt.Errorf("line %d: %s: %q", n, what, line) }
		word := strings.TrimLeft(line, "\t")
		switch tabs := len(line) - len(word); {
		case line == "" || line[0] == '#':
		case tabs == 0:
			exercise, reason = line, ""
			if r[exercise] != nil {
				return nil, bad("the exercise has mutants above already")
			}
			r[exercise] = map[string]finding{}
		case exercise == "":
			return nil, bad("no exercise is named above")
		case tabs == 1:
			kind, text, ok := strings.Cut(word, ": ")
			if reason, equivalent = text, kind == "equivalent"; !ok || !equivalent && kind != "survives" {
				return nil, bad("a reason begins with \"equivalent: \" or \"survives: \"")
			}
		case tabs == 2 && reason == "":
			return nil, bad("no reason is given above")
		case tabs == 2:
			if _, twice := r[exercise][word]; twice {
				return nil, bad("the mutant is listed twice")
			}
			r[exercise][word] = finding{equivalent, reason, n}
		default:
			return nil, bad("too many tabs")
		}
	}
	return r, nil
}

// A status is the result of checking a mutant.
type status string

const (
	invalid  status = "invalid"  // it does not compile, and does not count
	killed   status = "killed"   // the verdict is not a pass
	survived status = "survived" // the verdict is a pass
)

// A score is how well an exercise distinguishes mutants from its solution.
type score struct {
	killed     int // of total
	total      int // mutants that compile and are not equivalent
	equivalent int // mutants that the review calls equivalent
	survivors  []survivor
	// problems are entries of the review that no longer apply.
	problems []string
}

// A survivor is a mutant that passes and is not equivalent.
type survivor struct {
	mutant
	reason string // "" if the review has none
}

// threshold is the percentage of mutants that have to be killed. Of fewer than 50 mutants one may survive.
const threshold = 98

// enough reports whether enough mutants are killed.
func (s score) enough() bool {
	return s.total-s.killed <= max(1, s.total*(100-threshold)/100)
}

// tally counts the statuses, one for each of the mutants, and applies the findings of a review.
func tally(mutants []mutant, outcomes []status, findings map[string]finding) score {
	var s score
	left := maps.Clone(findings)
	for i, m := range mutants {
		key := m.key()
		finding, listed := findings[key]
		delete(left, key)
		problem := func(what string) {
			if listed {
				s.problems = append(s.problems, fmt.Sprintf("line %d: this mutant %s: remove the entry: %s",
					finding.line, what, key))
			}
		}
		switch outcomes[i] {
		case invalid:
			problem("does not compile")
		case survived:
			if finding.equivalent {
				s.equivalent++
				continue
			}
			s.total++
			s.survivors = append(s.survivors, survivor{m, finding.reason})
		default:
			s.total++
			s.killed++
			// A mutant that passed may fail in another run, because inputs are random. An equivalent mutant never
			// fails.
			if finding.equivalent {
				problem("is killed, and so it is not equivalent")
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		s.problems = append(s.problems,
			fmt.Sprintf("line %d: there is no such mutant: remove the entry, or correct it: %s",
				left[key].line, key))
	}
	return s
}

// sumsFile records the exercises whose mutants were run, each with a sum over its files and its review, so that mutants
// run again only if one of these changes. It is slash-separated from the repository's root.
const sumsFile = "solutions/mutants.sum"

// readSums reads the recorded sums by exercise, and returns nil if there is no record.
func (a *Author) readSums() (map[string]string, error) {
	text, err := a.readFile(sumsFile)
	if err != nil || text == nil {
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
// solution, its other files, what the manifest asks of them, and the findings on its mutants. The texts of the manifest
// and the starter, which the mutants replace, are not part of it.
func mutantsSum(e *exercise.Exercise, findings map[string]finding) (string, error) {
	tests := maps.Clone(e.Files)
	maps.DeleteFunc(tests, func(name string, _ []byte) bool { return slices.Contains(e.Edit, name) })
	judged, err := json.Marshal(struct {
		Edit, Imports    []string
		Race, Goroutines bool
		Benchmarks       []exercise.Benchmark
		Tests, Solution  map[string][]byte
	}{e.Edit, e.Imports, e.Race, e.Goroutines, e.Benchmarks, tests, e.Solution})
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%x\n", sha256.Sum256(judged))
	for _, key := range slices.Sorted(maps.Keys(findings)) {
		fmt.Fprintf(hash, "%v %q\n", findings[key].equivalent, key)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
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
		if !a.exists(id) {
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
	return a.writeFile(sumsFile, text.Bytes())
}
