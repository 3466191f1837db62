package byvalue_test

import (
	"slices"
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/byvalue"
)

func TestRank(t *testing.T) {
	birds := counts()
	byvalue.Rank(birds)
	check(t, birds)
	byvalue.Rank(nil)
}

func check(t *testing.T, birds []byvalue.Bird) {
	t.Helper()
	var names []string
	for _, bird := range birds {
		names = append(names, bird.Name)
	}
	if want := []string{"tern", "gull", "dipper", "wren", "heron"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
