//go:build unix

package build_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/execution"
)

// TestNice checks that the processes of a build have the niceness that its source asks for, which the command nice
// prints. A machine that is at the highest niceness already cannot show a higher one.
func TestNice(t *testing.T) {
	out, err := exec.Command("nice").Output()
	if err != nil {
		t.Fatal(err)
	}
	own, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	tools, _ := both(t)
	for _, more := range []int{0, 3} {
		got, err := build.Run(t.Context(), tools, execution.Source{Nice: more}, "nice")
		if want := strconv.Itoa(min(own+more, 19)); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("Nice %d: got %q, %v, want %s", more, got, err, want)
		}
	}
}
