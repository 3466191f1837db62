package mutation

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseReview(t *testing.T) {
	got, err := ParseReview("# comment\nexercise1\n\tequivalent: same\n\t\ta => b\n\t\tc => d\n\n\tsurvives: hard\n" +
		"\t\te => f\nexercise2\n")
	want := Review{
		"exercise1": {"a => b": {true, "same", 4}, "c => d": {true, "same", 5}, "e => f": {false, "hard", 8}},
		"exercise2": {},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"\tequivalent: x\n":                                    "line 1: no exercise is named",
		"exercise1\n\tbecause\n":                               "line 2: a reason begins with",
		"exercise1\n\t\ta => b\n":                              "line 2: no reason is given",
		"exercise1\n\tequivalent: x\n\t\ta\n\t\ta\n":           "line 4: the mutant is listed twice",
		"exercise1\nexercise1\n":                               "line 2: the exercise has mutants above",
		"exercise1\n\tsurvives: x\n\t\t\ta\n":                  "line 3: too many tabs",
		"exercise1\n\tsurvives: x\nexercise2\n\t\tno reason\n": "line 4: no reason is given",
	} {
		if _, err := ParseReview(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestTally(t *testing.T) {
	var mutants []Mutant
	for _, was := range []string{"killed", "stopped", "invalid", "same", "hard", "new"} {
		mutants = append(mutants, Mutant{Func: "f", Operator: Constant, Was: was, Now: "x", Nth: 1})
	}
	outcomes := []Status{Killed, Stopped, Invalid, Survived, Survived, Survived}
	key := func(was string) string { return "f constant: " + was + " => x" }
	s := Tally(mutants, outcomes, map[string]Finding{key("same"): {true, "same", 1}, key("hard"): {false, "hard", 2}})
	if s.Killed != 2 || s.Stopped != 1 || s.Total != 4 || s.Equivalent != 1 || len(s.Problems) > 0 || s.Enough() {
		t.Errorf("%+v", s)
	}
	if len(s.Survivors) != 2 || s.Survivors[0].Reason != "hard" || s.Survivors[1].Reason != "" {
		t.Errorf("%+v", s.Survivors)
	}
	// An equivalent mutant may be slow.
	s = Tally(mutants, outcomes, map[string]Finding{key("stopped"): {true, "slow", 1}})
	if s.Killed != 1 || s.Stopped != 0 || s.Total != 4 || s.Equivalent != 1 || len(s.Problems) > 0 {
		t.Errorf("%+v", s)
	}
	// Entries that are not true.
	s = Tally(mutants, outcomes, map[string]Finding{
		key("killed"): {true, "", 1}, key("stopped"): {false, "luck", 2}, key("invalid"): {true, "", 3},
		key("gone"): {false, "", 4},
	})
	if got := strings.Join(s.Problems, "\n"); len(s.Problems) != 3 ||
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
		if got := (Score{Killed: c.killed, Total: c.total}).Enough(); got != c.want {
			t.Errorf("%d of %d: %v", c.killed, c.total, got)
		}
	}
}
