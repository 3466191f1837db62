package room

import "strings"

// failed notes the first test that failed in a check, "" for none, before the check replaces the last one. A
// participant who fails the same test again and again is stuck, and one who gets from one test to the next is not.
func (w *Work) failed(test string) {
	switch {
	case test == "":
		w.Same = 0
	case test == w.Test:
		w.Same++
	default:
		w.Same = 1
	}
}

// lower lowers the participant's hand at an exercise that a submission has passed. A hand that was raised after the
// submission asks for something else, and stays up.
func (p *Participant) lower(passed *Submission) {
	if p.Hand == passed.Exercise && !p.Raised.After(passed.Time) {
		p.Hand = ""
	}
}

// failedTest returns the name of the first test that failed in the output of a test binary, with its subtest, cut to
// MaxTest characters; "" if no test failed, as in a program that did not end. The page finds the same one.
func failedTest(output string) (first string) {
	for line := range strings.Lines(output) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: ")
		if name, _, _ = strings.Cut(name, " ("); !ok {
			continue
		}
		if first == "" || strings.HasPrefix(name, first+"/") {
			first = name
		}
	}
	if runes := []rune(first); len(runes) > MaxTest {
		return string(runes[:MaxTest])
	}
	return first
}
