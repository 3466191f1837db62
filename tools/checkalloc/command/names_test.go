package command

import (
	"fmt"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	names := []string{"all", "watch", "list", "hint", "init"}
	for i := range 40 {
		names = append(names, fmt.Sprintf("exercise%d", i+1))
	}
	for _, c := range []struct{ name, want string }{
		{"exercise99", "did you mean exercise9, exercise19 or exercise29? "},
		{"excercise7", "did you mean exercise7, exercise1 or exercise2? "},
		{"wach", "did you mean watch? "},
		{"hnt", "did you mean hint or init? "},
		{"memory-profiling", ""},
		{"", ""},
	} {
		if got := didYouMean(c.name, names); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}
