package measure

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// TestOutput records what a command prints, which runs at the repository's root, and again only after a change.
func TestOutput(t *testing.T) {
	m, _ := fixture(t)
	const listing, command = "first/listings/hello", "ls; echo >> ran; echo 'one  '; echo '.  7: // ANCHOR: x'"
	w := Wanted{Output: map[string][]string{listing: {command, command}}}
	runs := func() int {
		text, err := os.ReadFile(filepath.Join(m.Root, "ran"))
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	for _, want := range []int{2, 2} {
		if err := m.Update(t.Context(), w, true); err != nil || runs() != want {
			t.Fatalf("the command has run %d times, want %d; error %v", runs(), want, err)
		}
	}
	o, err := bookdata.ReadOutput(m.fs())
	if err != nil {
		t.Fatal(err)
	}
	lines, err := o.Of(m.fs(), listing, command)
	if err != nil || !slices.Contains(lines, "book") || lines[len(lines)-1] != "one" {
		t.Errorf("got %q, error %v", lines, err)
	}
	edit(t, m, listing+"/main.go", "goodbye", "farewell")
	if _, err := o.Of(m.fs(), listing, command); err == nil {
		t.Error("the output of a listing that has changed is shown")
	}
	if err := m.Update(t.Context(), w, true); err != nil || runs() != 4 {
		t.Errorf("after a change the command has run %d times, want 4; error %v", runs(), err)
	}
	w.Output[listing] = []string{"echo broken; false"}
	if err := m.Update(t.Context(), w, true); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("of a command that fails: %v", err)
	}
}
