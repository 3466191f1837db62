package room

import (
	"strings"
	"testing"
	"time"
)

// TestSame tests how many checks in a row ended at the same failing test.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		tests []string // in which each check failed, "" for none
		same  int
	}{
		{[]string{"TestA"}, 1},
		{[]string{"TestA", "TestA", "TestA"}, 3},
		{[]string{"TestA", "TestA", "TestB"}, 1},
		{[]string{"TestA", "TestA/empty"}, 1},
		{[]string{"TestA", "TestA", ""}, 0},
		{[]string{"TestA", "", "TestA"}, 1},
		{[]string{"", ""}, 0},
	} {
		events := []Event{created, joined}
		for _, test := range c.tests {
			events = append(events, Event{Kind: Checked, Participant: "ada1", Exercise: "exercise6",
				Progress: &Progress{Stage: "tests", Test: test}})
		}
		if w := roomOf(events...).Participants["ada1"].Work["exercise6"]; w.Same != c.same {
			t.Errorf("%q: %d, want %d", c.tests, w.Same, c.same)
		}
	}
}

// TestHinted tests that an opened hint is no attempt, and that a check in another browser closes none.
func TestHinted(t *testing.T) {
	hinted := func(n int) Event {
		return Event{Kind: Hinted, Participant: "ada1", Exercise: "exercise6", Progress: &Progress{Hints: n}}
	}
	checked := Event{Kind: Checked, Participant: "ada1", Exercise: "exercise6", Progress: &Progress{Stage: "build", Hints: 1}}
	for _, c := range []struct {
		events          []Event
		hints, attempts int
	}{
		{[]Event{hinted(2)}, 2, 0},
		{[]Event{hinted(2), hinted(1)}, 2, 0},
		{[]Event{checked, hinted(2)}, 2, 1},
		{[]Event{hinted(2), checked}, 2, 1},
	} {
		w := roomOf(append([]Event{created, joined}, c.events...)...).Participants["ada1"].Work["exercise6"]
		if w.Hints != c.hints || w.Attempts != c.attempts {
			t.Errorf("%d hints, %d attempts, want %d, %d", w.Hints, w.Attempts, c.hints, c.attempts)
		}
	}
}

// TestPassLowersHand tests at which passes a hand goes down.
func TestPassLowersHand(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 23, 12, minute, 0, 0, time.UTC) }
	hand := func(minute int, exercise string) Event {
		return Event{Kind: Hand, Time: at(minute), Participant: "ada1", Exercise: exercise, Raised: true}
	}
	submitted := Event{Kind: Submitted, Time: at(5), Participant: "ada1", Exercise: "exercise6", Submission: "a"}
	graded := func(minute int, pass bool) Event {
		return Event{Kind: Graded, Time: at(minute), Submission: "a", Grade: &Grade{Pass: pass}}
	}
	for name, c := range map[string]struct {
		events []Event
		hand   string
	}{
		"a pass":                        {[]Event{hand(1, "exercise6"), submitted, graded(6, true)}, ""},
		"a failure":                     {[]Event{hand(1, "exercise6"), submitted, graded(6, false)}, "exercise6"},
		"a hand at another exercise":    {[]Event{hand(1, "exercise7"), submitted, graded(6, true)}, "exercise7"},
		"raised while it was graded":    {[]Event{submitted, hand(6, "exercise6"), graded(7, true)}, "exercise6"},
		"raised after the pass":         {[]Event{submitted, graded(6, true), hand(7, "exercise6")}, "exercise6"},
		"raised in between, and before": {[]Event{hand(1, "exercise6"), hand(6, "exercise6"), submitted}, "exercise6"},
	} {
		r := roomOf(append([]Event{created, joined}, c.events...)...)
		if got := r.Participants["ada1"].Hand; got != c.hand {
			t.Errorf("%s: the hand is up at %q, want %q", name, got, c.hand)
		}
	}
}

// TestFailedTest tests which failing test a verdict's output is about.
func TestFailedTest(t *testing.T) {
	for output, want := range map[string]string{
		"":                              "",
		"PASS\n":                        "",
		"--- FAIL: TestA (0.00s)\nFAIL": "TestA",
		"=== RUN TestA\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/empty (0.00s)\n        --- FAIL: TestA/empty/deep (0.00s)\n" +
			"    --- FAIL: TestA/full (0.00s)\n--- FAIL: TestB (0.00s)\n": "TestA/empty/deep",
		"--- FAIL: TestA (0.00s)\n--- FAIL: TestAB (0.00s)\n": "TestA",
		"--- FAIL: Test" + strings.Repeat("é", 200):           "Test" + strings.Repeat("é", 96),
	} {
		if got := failedTest(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	if p := (Progress{Test: strings.Repeat("é", MaxTest)}); !p.Valid() {
		t.Error("the longest name is refused")
	}
	if p := (Progress{Test: strings.Repeat("é", MaxTest+1)}); p.Valid() {
		t.Error("a longer name is accepted")
	}
}
