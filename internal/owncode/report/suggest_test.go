package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// TestSuggestions compares the text with a golden file.
func TestSuggestions(t *testing.T) {
	r := suggestions(t)
	r.Together.IDs = []int{1, 2}
	r.Suggestions[0].Why = "together with #2, no benchmark allocates less"
	var out bytes.Buffer
	Suggestions(&colorprofile.Writer{Forward: &out, Profile: colorprofile.NoTTY}, r, true, 80)
	name := filepath.Join("testdata", "suggestions.txt")
	if *update {
		if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s%v", out.Bytes(), want, err)
	}
}
