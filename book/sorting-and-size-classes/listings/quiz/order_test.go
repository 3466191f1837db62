package quiz_test

import (
	"slices"
	"testing"

	"onthestack/book/sorting-and-size-classes/listings/quiz"
)

func TestOrder(t *testing.T) {
	names := []string{"wren", "heron", "dipper", "tern", "gull", "heron"}
	quiz.Order(names)
	if want := []string{"dipper", "gull", "heron", "heron", "tern", "wren"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	quiz.Order(nil)
}
