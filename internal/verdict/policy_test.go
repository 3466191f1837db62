package verdict_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"onthestack/internal/bookdata/misconception"
	"onthestack/internal/verdict"
)

// TestPolicyAccepts holds that the policy has nothing against the starter and the solution of any exercise, nor against
// a likely mistake that fails in a later stage, and that it can check them all.
func TestPolicyAccepts(t *testing.T) {
	root := os.DirFS("../..")
	measured, err := misconception.ReadMeasured(os.DirFS("../../book"))
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
		turns, err := misconception.Read(root, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			if judged, ok := measured.Of(e.ID, turn.Name); !ok || judged.Result.Stage == verdict.StagePolicy ||
				judged.Result.Stage == verdict.StageBuild {
				continue // it has a fault that is to be found
			}
			if subjects[turn.Name], err = turn.Apply(starter); err != nil {
				t.Fatal(err)
			}
		}
		for name, files := range subjects {
			problems, unread := verdict.Policy(e, files)
			if len(files) == 0 || len(problems) > 0 || len(unread) > 0 {
				t.Errorf("%s of %s, %v: %v %v", name, e.ID, slices.Sorted(maps.Keys(files)), problems, unread)
			}
			accepted++
		}
	}
	if accepted < 80 {
		t.Errorf("only %d subjects", accepted)
	}
	t.Logf("%d accepted", accepted)
}
