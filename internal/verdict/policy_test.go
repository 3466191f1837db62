package verdict

import (
	"maps"
	"slices"
	"testing"

	"onthestack/internal/exercise"
)

// TestPolicyAccepts holds that the policy has nothing against the starter and the solution of any exercise, and can check them.
func TestPolicyAccepts(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog {
		starter := map[string][]byte{}
		for _, name := range e.Edit {
			starter[name] = e.Files[name]
		}
		for what, files := range map[string]map[string][]byte{"starter": starter, "solution": e.Solution} {
			problems, unread := policy(e, files)
			if len(files) == 0 || len(problems) > 0 || len(unread) > 0 {
				t.Errorf("%s of %s, %v: %v %v", what, e.ID, slices.Sorted(maps.Keys(files)), problems, unread)
			}
		}
	}
}
