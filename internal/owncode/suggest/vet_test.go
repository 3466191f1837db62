package suggest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
)

// TestVetAll proves that only the edit with a problem is rejected if several edits are vetted at once, and that an edit
// that overlaps another is vetted too. If nothing is wrong, vet runs once for all edits that do not overlap.
func TestVetAll(t *testing.T) {
	const source = "package p\n\nfunc a(x int) int { x++; return x }\n\nfunc b(y int) int { y++; return y }\n"
	edit := func(old, new string) []fix.Edit {
		at := strings.Index(source, old)
		return []fix.Edit{{File: "p.go", Start: at, End: at + len(old), Text: new}}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26.0\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := userpkg.Config{Dir: dir}.Load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Texts = map[string][]byte{"p.go": []byte(source)}
	good, other := edit("x++", "x += 1"), edit("x++;", "x += 2;")
	bad, worse := edit("y++", "y = y"), edit("y++;", "y = y;")
	for _, test := range []struct {
		name  string
		edits [][]fix.Edit
		want  []string // the reasons, "" for none
		runs  int      // sets of edits
	}{
		{"good", [][]fix.Edit{good, edit("y++", "y += 1")}, []string{"", ""}, 1},
		{"overlapping", [][]fix.Edit{good, other}, []string{"", ""}, 2},
		{"one bad", [][]fix.Edit{good, bad, other}, []string{"", "self-assignment of y", ""}, 2},
		{"bad alone", [][]fix.Edit{bad}, []string{"self-assignment of y"}, 1},
		{"both overlapping", [][]fix.Edit{bad, worse}, []string{"self-assignment of y", "self-assignment of y"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			runs := 0
			r := &run{subject: s, vet: true, report: func(e Event) { runs++ }}
			var attempts []*attempt
			for _, e := range test.edits {
				attempts = append(attempts, &attempt{candidate: fix.Candidate{Edits: e}})
			}
			if err := r.vetAll(t.Context(), attempts); err != nil {
				t.Fatal(err)
			}
			for i, a := range attempts {
				if (a.Outcome == Rejected) != (test.want[i] != "") || !strings.Contains(a.Why, test.want[i]) {
					t.Errorf("edit %d: %s, %q, want %q", i, a.Outcome, a.Why, test.want[i])
				}
			}
			if runs != test.runs {
				t.Errorf("%d sets of edits, want %d", runs, test.runs)
			}
		})
	}
}
