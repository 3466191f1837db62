package survey

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/owncode/heapprofile"
)

// judgments has a line for each line of a program whose reason somebody has compared with its source, with a tab
// between program, line, verdict, reason and note. The verdict is right, misleading or wrong.
//
//go:embed judged.tsv
var judgments string

// A judgment is what a person says of the reason of a line.
type judgment struct{ verdict, why, note string }

// judged are the judgments by program and line.
type judged map[[2]string]judgment

func readJudgments(text string) (judged, error) {
	all := judged{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 5 || !slices.Contains([]string{"right", "misleading", "wrong"}, fields[2]) {
			return nil, fmt.Errorf("line %d of the judgments is not PROGRAM, FILE:LINE, VERDICT, REASON and NOTE: %q", number,
				line)
		}
		key := [2]string{fields[0], fields[1]}
		if _, twice := all[key]; twice {
			return nil, fmt.Errorf("line %d of the judgments is the second on %q", number, key)
		}
		all[key] = judgment{fields[2], fields[3], fields[4]}
	}
	return all, nil
}

func (j judged) find(s subject, l heapprofile.Line) (judgment, bool) {
	found, ok := j[[2]string{s.String(), fmt.Sprintf("%s:%d", l.File, l.Line)}]
	return found, ok
}

// of returns the verdict on the reason of a line, "" if this reason was not judged.
func (j judged) of(s subject, l heapprofile.Line) string {
	if found, ok := j.find(s, l); ok && len(added(found.why, l.Why)) == 0 {
		return found.verdict
	}
	return ""
}

// faults returns what is to be judged again: the lines whose reasons have nothing in common with the judged ones. A
// clause more or less may follow from the samples.
func (j judged) faults(s subject, r *heapprofile.Report) (faults []string) {
	for _, l := range r.Lines {
		found, ok := j.find(s, l)
		if now := clauses(l.Why); ok && !r.Few(l) && len(added(found.why, l.Why)) == len(now) {
			faults = append(faults, fmt.Sprintf("%s: %s:%d: the reason was %q and %s, and is %q: read the source and judge it "+
				"again", s, l.File, l.Line, found.why, found.verdict, l.Why))
		}
	}
	return faults
}

// inside matches the clause that a function allocates which the line calls, and captures the function.
var inside = regexp.MustCompile(`^(?:\d+ % of the objects|allocated) inside (\S+?)(?:, which is called here)?$`)

// clauses returns the clauses of a reason, without figures that follow from the samples.
func clauses(why string) []string {
	all := strings.Split(why, "; ")
	for i := range all {
		all[i] = inside.ReplaceAllString(all[i], "inside $1")
	}
	return all
}

// added returns the clauses of a reason that an earlier one does not have.
func added(before, now string) []string {
	known := clauses(before)
	return slices.DeleteFunc(clauses(now), func(c string) bool { return slices.Contains(known, c) })
}

// TestAdded: figures that follow from the samples make no new reason.
func TestAdded(t *testing.T) {
	for _, test := range []struct{ before, now, want string }{
		{"append grew the slice", "append grew the slice", ""},
		{"12 % of the objects inside fmt.Sprint", "allocated inside fmt.Sprint, which is called here", ""},
		{"allocated inside fmt.Sprint, which is called here", "3 % of the objects inside fmt.Sprint; x is boxed",
			"x is boxed"},
		{"x is boxed; the rest inside 2 other functions", "x is boxed", ""},
		{"x is boxed", "the conversion copies", "the conversion copies"},
	} {
		if got := strings.Join(added(test.before, test.now), "; "); got != test.want {
			t.Errorf("%q, then %q: %q is new, want %q", test.before, test.now, got, test.want)
		}
	}
}

// TestJudged: a line is judged again only if its reason has nothing in common with the judged one.
func TestJudged(t *testing.T) {
	s := subject{"example.com/m", "v1.0.0", "cmd"}
	all, err := readJudgments("example.com/m/cmd v1.0.0\ta.go:3\tright\tx is boxed; the map grew\tprintln keeps it\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		line    int
		why     string
		verdict string
		faults  int
	}{
		{3, "x is boxed", "right", 0},
		{3, "x is boxed; the conversion copies", "", 0},
		{3, "the conversion copies", "", 1},
		{4, "the conversion copies", "", 0},
	} {
		l := heapprofile.Line{File: "a.go", Line: test.line, Why: test.why, Samples: 100}
		faults := all.faults(s, &heapprofile.Report{Rate: sampleRate, Lines: []heapprofile.Line{l}})
		if got := all.of(s, l); got != test.verdict || len(faults) != test.faults {
			t.Errorf("line %d, %q: %q and faults %q, want %q and %d", test.line, test.why, got, faults, test.verdict,
				test.faults)
		}
	}
	for _, text := range []string{"a\tb\tright\tc\n", "a\tb\tgood\tc\td\n", strings.Repeat("a\tb\tright\tc\td\n", 2)} {
		if all, err := readJudgments(text); err == nil {
			t.Errorf("%q gives %v", text, all)
		}
	}
}
