package author

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseReview(t *testing.T) {
	got, err := parseReview("# comment\nexercise6\n\tequivalent: same\n\t\ta => b\n\t\tc => d\n\n\tsurvives: hard\n" +
		"\t\te => f\nexercise7\n")
	want := review{
		"exercise6": {"a => b": {true, "same", 4}, "c => d": {true, "same", 5}, "e => f": {false, "hard", 8}},
		"exercise7": {},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"\tequivalent: x\n":                                    "line 1: no exercise is named",
		"exercise6\n\tbecause\n":                               "line 2: a reason begins with",
		"exercise6\n\t\ta => b\n":                              "line 2: no reason is given",
		"exercise6\n\tequivalent: x\n\t\ta\n\t\ta\n":           "line 4: the mutant is listed twice",
		"exercise6\nexercise6\n":                               "line 2: the exercise has mutants above",
		"exercise6\n\tsurvives: x\n\t\t\ta\n":                  "line 3: too many tabs",
		"exercise6\n\tsurvives: x\nexercise7\n\t\tno reason\n": "line 4: no reason is given",
	} {
		if _, err := parseReview(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestTally(t *testing.T) {
	var mutants []mutant
	for _, was := range []string{"killed", "invalid", "same", "hard", "new"} {
		mutants = append(mutants, mutant{function: "f", operator: constantOperator, was: was, now: "x", nth: 1})
	}
	outcomes := []status{killed, invalid, survived, survived, survived}
	key := func(was string) string { return "f constant: " + was + " => x" }
	s := tally(mutants, outcomes, map[string]finding{key("same"): {true, "same", 1}, key("hard"): {false, "hard", 2}})
	if s.killed != 1 || s.total != 3 || s.equivalent != 1 || len(s.problems) > 0 || s.enough() {
		t.Errorf("%+v", s)
	}
	if len(s.survivors) != 2 || s.survivors[0].reason != "hard" || s.survivors[1].reason != "" {
		t.Errorf("%+v", s.survivors)
	}
	// Entries that are not true.
	s = tally(mutants, outcomes, map[string]finding{
		key("killed"): {true, "", 1}, key("invalid"): {true, "", 3},
		key("gone"): {false, "", 4},
	})
	if got := strings.Join(s.problems, "\n"); len(s.problems) != 3 ||
		!strings.Contains(got, "line 1: this mutant is killed") ||
		!strings.Contains(got, "line 3: this mutant does not compile") ||
		!strings.Contains(got, "line 4: there is no such mutant") {
		t.Errorf("%s", got)
	}
}

func TestEnough(t *testing.T) {
	for _, c := range []struct {
		killed, total int
		want          bool
	}{{98, 100, true}, {97, 100, false}, {0, 0, true}, {48, 49, true}, {47, 49, false}, {49, 50, true},
		{146, 149, false},
		{147, 149, true}} {
		if got := (score{killed: c.killed, total: c.total}).enough(); got != c.want {
			t.Errorf("%d of %d: %v", c.killed, c.total, got)
		}
	}
}
