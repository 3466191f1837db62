package suggest

import (
	"context"
	"fmt"
	"maps"

	"onthestack/internal/owncode/suggest/differential"
	"onthestack/internal/owncode/suggest/fix"
)

// addComparison adds a test to the files of a candidate. The test compares each function that the candidate changes
// with the unchanged function. addComparison reports whether there is such a test.
func (r *run) addComparison(edited *fix.Program, files map[string][]byte) bool {
	if _, taken := r.subject.Files[differential.File]; taken {
		return false
	}
	texts := maps.Clone(r.subject.Files)
	maps.Copy(texts, files)
	test := differential.TestFile(typed(r.program, r.subject.Files), typed(edited, texts))
	if test == nil {
		return false
	}
	if _, err := edited.With(map[string][]byte{differential.File: test}); err != nil {
		return false // a name of the test means something else in this package
	}
	files[differential.File] = test
	return true
}

func typed(p *fix.Program, texts map[string][]byte) *differential.Package {
	fset, files, pkg, info := p.Syntax()
	return &differential.Package{Fset: fset, Files: files, Types: pkg, Info: info, Texts: texts}
}

// compare runs the comparison of a candidate that was built. The stage is "" if the functions agree on all inputs.
func (r *run) compare(ctx context.Context, a *attempt) (Stage, string, error) {
	output, err := a.subject.Package.TestAlone(ctx, a.subject.Built, differential.Test, r.options.Measure.Args)
	if err != nil {
		return "", "", err
	}
	agreed, d := differential.Parse(output)
	if d != nil {
		return StageInputs, fmt.Sprintf("%s differs: before %s, now %s", d.Input, d.Old, d.New), nil
	}
	a.tests.Inputs = agreed
	return "", "", nil
}
