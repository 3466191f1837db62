package suggest

import (
	"context"
	"fmt"
	"maps"

	"onthestack/internal/owncode/suggest/fix"
)

// addComparison adds a test to the files of a candidate. The test compares each function that the candidate changes
// with the unchanged function. addComparison reports whether there is such a test.
func (r *run) addComparison(edited *fix.Program, files map[string][]byte) bool {
	if _, taken := r.subject.Files[drawnFile]; taken {
		return false
	}
	texts := maps.Clone(r.subject.Files)
	maps.Copy(texts, files)
	test := comparison(typedOf(r.program, r.subject.Files), typedOf(edited, texts))
	if test == nil {
		return false
	}
	if _, err := edited.With(map[string][]byte{drawnFile: test}); err != nil {
		return false // a name of the test means something else in this package
	}
	files[drawnFile] = test
	return true
}

func typedOf(p *fix.Program, texts map[string][]byte) *typed {
	fset, files, pkg, info := p.Syntax()
	return &typed{fset, files, pkg, info, texts}
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
