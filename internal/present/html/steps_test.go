package html

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"onthestack/internal/step"
)

// stepsDocument returns the document that package step keeps for the tests of pages.
func stepsDocument(t *testing.T) *step.Document {
	t.Helper()
	text, err := os.ReadFile("../../step/testdata/document.json")
	if err != nil {
		t.Fatal(err)
	}
	d := new(step.Document)
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWriteSteps writes a page whose program contains what could end the element that it is in, and reads it back.
func TestWriteSteps(t *testing.T) {
	d := stepsDocument(t)
	const hostile = `</script><script>alert(1)</script><!--` + "\u2028"
	for name := range d.Files {
		d.Files[name] += "// " + hostile
	}
	d.Steps[3].Sentence += hostile
	var page bytes.Buffer
	if err := WriteSteps(&page, []step.Compared{{Name: "prog.go", Steps: d}}, "checkalloc step '<b>.go'"); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d script elements, want the data and the script", n)
	}
	for _, unwanted := range []string{"<b>", "alert(1)</script>", "http://", "https://"} {
		// The namespace of SVG is a name, not an address that is fetched.
		if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), unwanted) {
			t.Errorf("the page contains %q", unwanted)
		}
	}
	data := regexp.MustCompile(`(?s)<script type="application/json" id="steps-data">(.*?)</script>`)
	m := data.FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no data")
	}
	got := new(step.Document)
	if err := json.Unmarshal([]byte(m[1]), got); err != nil {
		t.Fatal(err)
	}
	if got.Files["prog.go"] != d.Files["prog.go"] || len(got.Steps) != len(d.Steps) {
		t.Error("the data is not the document")
	}
	// Without a script, the page lists the sentences.
	if n := strings.Count(text, "<li>"); n != len(d.Steps) {
		t.Errorf("%d sentences for %d steps", n, len(d.Steps))
	}
}
