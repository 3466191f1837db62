package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// TestProofSteps records a program's steps, checks them, and checks a program that differs from what is stored. A recording
// that no page shows is removed.
func TestProofSteps(t *testing.T) {
	m, _ := fixture(t)
	const name, text = "first/listings/hello/main.go", "package main\n\nfunc main() { println(1) }\n"
	if err := (&bookdata.RecordedSteps{Program: "other.go"}).Write(m.folder()); err != nil {
		t.Fatal(err)
	}
	steps := map[string]string{name: text}
	if err := m.Update(t.Context(), Wanted{Steps: steps}, true); err != nil {
		t.Fatal(err)
	}
	stored, err := bookdata.StepsFiles(m.fs())
	if err != nil || len(stored) != 1 || stored[0] != bookdata.StepsFile(name) {
		t.Errorf("stored %q, error %v", stored, err)
	}
	if err := m.Check(t.Context(), Wanted{Steps: steps}, true); err != nil {
		t.Error(err)
	}

	changed := map[string]string{name: strings.Replace(text, "1", "2", 1)}
	if err := m.Check(t.Context(), Wanted{Steps: changed}, true); err == nil ||
		err.Error() != name+` has changed since its steps were recorded: run "make measure"` {
		t.Errorf("a program that has changed: %v", err)
	}
	file := filepath.Join(m.folder(), filepath.FromSlash(bookdata.StepsFile(name)))
	recording, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	another := strings.Replace(string(recording), `"allocs":0`, `"allocs":1`, 1)
	if err := os.WriteFile(file, []byte(another), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := m.Check(t.Context(), Wanted{Steps: steps}, true); err == nil ||
		!strings.Contains(err.Error(), "differ from those stored") {
		t.Errorf("a recording that has changed: %v", err)
	}
}
