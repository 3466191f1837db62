package verdict_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// TestPolicyAccepts checks that the policy accepts the starter and the solution of every exercise, and every likely
// mistake that fails at a later stage, and that it parses and type-checks all of them.
func TestPolicyAccepts(t *testing.T) {
	root := os.DirFS("../..")
	measured, err := bookdata.ReadMeasuredMisconceptions(os.DirFS("../../book"))
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for _, e := range sealed(t) {
		starter := map[string][]byte{}
		for _, name := range e.Edit {
			starter[name] = e.Files[name]
		}
		subjects := map[string]map[string][]byte{"starter": starter, "solution": e.Solution}
		mistakes, err := bookdata.ReadMisconceptions(root, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, mistake := range mistakes {
			if judged, ok := measured.Of(e.ID, mistake.Name); !ok || judged.Result.Stage == verdict.StagePolicy ||
				judged.Result.Stage == verdict.StageBuild {
				continue // the policy or the compiler has to refuse it
			}
			if subjects[mistake.Name], err = mistake.Apply(starter); err != nil {
				t.Fatal(err)
			}
		}
		for name, files := range subjects {
			problems, unparsed := verdict.Policy(e, files)
			if len(files) == 0 || len(problems) > 0 || len(unparsed) > 0 {
				t.Errorf("%s of %s, %v: %v %v", name, e.ID, slices.Sorted(maps.Keys(files)), problems, unparsed)
			}
			accepted++
		}
	}
	if accepted < 80 {
		t.Errorf("only %d subjects", accepted)
	}
	t.Logf("%d accepted", accepted)
}
