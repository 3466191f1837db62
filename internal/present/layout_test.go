package present

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// TestWrapCommand proves that no line breaks a command inside a flag or an argument, and that it is whole where a line is
// wide enough for it.
func TestWrapCommand(t *testing.T) {
	for _, c := range []struct{ text, command string }{
		{"make the tests pass again: " + Command("go test ./exercises/exercise20"), "go test ./exercises/exercise20"},
		{"make the benchmark finish: " +
			Command("go test -timeout 10s -run '^$' -bench . -benchtime 1000x ./exercises/exercise20"),
			"go test -timeout 10s -run '^$' -bench . -benchtime 1000x ./exercises/exercise20"},
		{"read what the compiler says around line 7: " + Command("go build -gcflags=-m=2 ./exercises/exercise20") +
			" prints it.", "go build -gcflags=-m=2 ./exercises/exercise20"},
		{"look among the methods of time.Time: `go doc -all time.Time`. The second allocation is the layout",
			"go doc -all time.Time"},
		{`this file is missing: "checkalloc reset exercise20" brings it back`, "checkalloc reset exercise20"},
	} {
		for _, width := range []int{40, 60, 80} {
			lines := strings.Split(Wrap(c.text, width), "\n")
			for _, l := range lines {
				if lipgloss.Width(l) > width {
					t.Errorf("%q is wider than %d columns", l, width)
				}
			}
			got := strings.Join(lines, "\n")
			if lipgloss.Width(c.command)+2 > width { // with its quotation marks
				got = strings.ReplaceAll(got, " \\\n", " ")
			}
			if !strings.Contains(got, c.command) {
				t.Errorf("at %d columns the command %q is broken:\n%s", width, c.command, got)
			}
		}
	}
}

// TestProse shows code in bold, without backticks, and keeps commands in one line.
func TestProse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"make `Free` return `nil`.", "make \x1b[1mFree\x1b[m return \x1b[1mnil\x1b[m."},
		{"no end: `x", "no end: `x"},
		{"`go doc time`", "\x1b[1mgo" + nbsp + "doc" + nbsp + "time\x1b[m"},
		{"`a b`", "\x1b[1ma b\x1b[m"},
	} {
		if got := Prose(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a run-time flag", "a run-time\nflag"},
		{"with the flag -gcflags=-m", "with the\nflag\n-gcflags=-\nm"}, // no command
		{"bold \x1b[1mone two three\x1b[m", "bold \x1b[1mone\x1b[m\n\x1b[1mtwo three\x1b[m"},
		{"one\ntwo", "one\ntwo"},
		{"abouts 19 % of", "abouts\n19 % of"},
	} {
		if got := Wrap(c.text, 10); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
