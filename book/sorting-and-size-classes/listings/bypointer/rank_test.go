package bypointer_test

import (
	"slices"
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/bypointer"
)

func TestRank(t *testing.T) {
	birds := counts()
	bypointer.Rank(birds)
	check(t, birds)
	bypointer.Rank(nil)
}

func TestList(t *testing.T) {
	list := &bypointer.List{Birds: counts()}
	list.Rank()
	check(t, list.Birds)
}

func check(t *testing.T, birds []bypointer.Bird) {
	t.Helper()
	var names []string
	for _, bird := range birds {
		names = append(names, bird.Name)
	}
	if want := []string{"tern", "gull", "dipper", "wren", "heron"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
