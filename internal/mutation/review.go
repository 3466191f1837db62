package mutation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Review has people's findings on the surviving mutants of the exercises, by the exercise's name and the
// mutant's key.
type Review map[string]map[string]Finding

// A Finding is why a mutant survives.
type Finding struct {
	// Equivalent is true if the mutant does the task as well as the solution, so that no test may distinguish them.
	Equivalent bool
	Reason     string
	Line       int // in the file that the review was read from
}

// The words that begin a reason in a review.
const (
	equivalentWord = "equivalent: "
	survivesWord   = "survives: "
)

// ParseReview reads a review. A line without indentation is the name of an exercise. Below it, a line with one tab is a
// reason, which begins with "equivalent: " or "survives: ", and the lines with two tabs below that are the keys of the
// mutants that it applies to. Empty lines and lines that begin with # are ignored.
func ParseReview(text string) (Review, error) {
	r := Review{}
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
			r[exercise] = map[string]Finding{}
		case exercise == "":
			return nil, bad("no exercise is named above")
		case tabs == 1:
			var ok bool
			if reason, equivalent = strings.CutPrefix(word, equivalentWord); !equivalent {
				if reason, ok = strings.CutPrefix(word, survivesWord); !ok {
					return nil, bad("a reason begins with \"equivalent: \" or \"survives: \"")
				}
			}
		case tabs == 2 && reason == "":
			return nil, bad("no reason is given above")
		case tabs == 2:
			if _, twice := r[exercise][word]; twice {
				return nil, bad("the mutant is listed twice")
			}
			r[exercise][word] = Finding{equivalent, reason, n}
		default:
			return nil, bad("too many tabs")
		}
	}
	return r, nil
}

// A Status is the result of checking a mutant.
type Status string

const (
	Invalid  Status = "invalid"  // it does not compile, and does not count
	Killed   Status = "killed"   // the verdict is not a pass
	Stopped  Status = "stopped"  // killed by a limit on time or memory
	Survived Status = "survived" // the verdict is a pass
)

// A Score is how well an exercise distinguishes mutants from its solution.
type Score struct {
	Killed     int // of Total; Stopped among them
	Stopped    int
	Total      int // mutants that compile and are not equivalent
	Equivalent int // mutants that the review calls equivalent
	Survivors  []Survivor
	// Problems are entries of the review that no longer apply.
	Problems []string
}

// A Survivor is a mutant that passes and is not equivalent.
type Survivor struct {
	Mutant
	Reason string // "" if the review has none
}

// Threshold is the percentage of mutants that have to be killed. Of fewer than 50 mutants one may survive.
const Threshold = 98

// Enough reports whether enough mutants are killed.
func (s Score) Enough() bool {
	return s.Total-s.Killed <= max(1, s.Total*(100-Threshold)/100)
}

// Tally counts the statuses, one for each of the mutants, and applies the findings of a review.
func Tally(mutants []Mutant, outcomes []Status, findings map[string]Finding) Score {
	var s Score
	left := maps.Clone(findings)
	for i, m := range mutants {
		key := m.Key()
		finding, listed := findings[key]
		delete(left, key)
		problem := func(what string) {
			if listed {
				s.Problems = append(s.Problems, fmt.Sprintf("line %d: this mutant %s: remove the entry: %s",
					finding.Line, what, key))
			}
		}
		switch outcomes[i] {
		case Invalid:
			problem("does not compile")
		case Survived:
			if finding.Equivalent {
				s.Equivalent++
				continue
			}
			s.Total++
			s.Survivors = append(s.Survivors, Survivor{m, finding.Reason})
		case Stopped:
			if finding.Equivalent {
				s.Equivalent++ // and slow
				continue
			}
			s.Total++
			s.Killed++
			s.Stopped++
		default:
			s.Total++
			s.Killed++
			// A mutant that passed may fail in another run, because inputs are random. An equivalent mutant never
			// fails.
			if finding.Equivalent {
				problem("is killed, and so it is not equivalent")
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		s.Problems = append(s.Problems,
			fmt.Sprintf("line %d: there is no such mutant: remove the entry, or correct it: %s",
				left[key].Line, key))
	}
	return s
}
