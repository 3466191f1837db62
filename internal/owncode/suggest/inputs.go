package suggest

import (
	"context"
	"fmt"

	"onthestack/internal/owncode/suggest/fix"
)

// addComparison adds a test to the files of a candidate. The test compares each function that the candidate changes
// with the unchanged function. addComparison reports whether there is such a test.
func (r *run) addComparison(edited *fix.Program, files map[string][]byte) bool {
	if _, taken := r.subject.Files[drawnFile]; taken {
		return false
	}
	test := comparison(r.program, edited)
	if test == nil {
		return false
	}
	if _, err := edited.With(map[string][]byte{drawnFile: test}); err != nil {
		return false // a name of the test means something else in this package
	}
	files[drawnFile] = test
	return true
}

// compare runs the comparison of a candidate that was built. The stage is "" if the functions agree on all inputs.
func (r *run) compare(ctx context.Context, a *attempt) (Stage, string, error) {
	output, err := a.subject.Package.TestAlone(ctx, a.subject.Built, drawnTest, r.options.Measure.Args)
	if err != nil {
		return "", "", err
	}
	agreed, d := parseDrawn(output)
	if d != nil {
		return StageInputs, fmt.Sprintf("%s differs: before %s, now %s", d.input, d.old, d.new), nil
	}
	a.tests.Inputs = agreed
	return "", "", nil
}
