package app

import "testing"

func TestExerciseID(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"exercise3", "exercise3"},
		{"Exercise3", "exercise3"},
		{"exercise03", "exercise3"},
		{"exercise-3", "exercise3"},
		{"ex3", "exercise3"},
		{"3", "exercise3"},
		{"30", "exercise30"},
		{"exercises/exercise3/", "exercise3"},
		{"./exercises/exercise3", "exercise3"},
		{"../exercise3/", "exercise3"},
		{"/home/me/exercise7/exercises/exercise3", "exercise3"},
		{"solutions/exercise3", "exercise3"},
		{"exercises/exercise3/stream_test.go", "exercise3"},
		{"exercises/exercise3/exercise.toml", "exercise3"},

		{"", ""},
		{".", "."}, // the folder of this test is no exercise
		{"exercise", "exercise"},
		{"exercise3x", "exercise3x"},
		{"exercise3/wrong", "exercise3/wrong"},
		{"exercise3 exercise4", "exercise3 exercise4"},
		{"exercice3", "exercice3"},
		{"3.5", "3.5"},
		{"-3", "-3"},
	} {
		if got := ExerciseID(c.name); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}
