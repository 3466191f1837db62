package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestSuggestionsSARIF: the log is valid, each suggestion is a result of a rule that it lists, and its fix replaces the
// lines. Rejected candidates are not in the log.
func TestSuggestionsSARIF(t *testing.T) {
	r := suggestions(t)
	source := func(string) []byte {
		return []byte("func F(numbers []int) []int {\n\tvar all []int\n\tfor _, n := range numbers {\n" +
			"\t\tall = append(all, n)\n\t}\n\treturn all\n}\n")
	}
	var b bytes.Buffer
	if err := SuggestionsSARIF(&b, r, SARIFOptions{Source: source, Dir: "in/f", Version: "1.2.3"}); err != nil {
		t.Fatal(err)
	}
	if err := valid(t, b.Bytes()); err != nil {
		t.Errorf("not valid: %v", err)
	}
	run := readSARIF(t, b.Bytes()).Runs[0]
	if len(run.Results) != 2 {
		t.Fatalf("%d results", len(run.Results))
	}
	for _, result := range run.Results {
		if got := *run.Tool.Driver.Rules[result.RuleIndex].ID; got != *result.RuleID {
			t.Errorf("rule %s at the index of %s", got, *result.RuleID)
		}
		at := result.Locations[0].PhysicalLocation
		if *at.ArtifactLocation.URI != "in/f/f.go" || *at.Region.StartLine != 4 {
			t.Errorf("location %+v", at)
		}
		replaced := result.Fixes[0].ArtifactChanges[0].Replacements[0]
		d := replaced.DeletedRegion
		if *d.StartLine != 3 || *d.StartColumn != 1 || *d.EndLine != 3 || *d.EndColumn != 1 ||
			!strings.Contains(*replaced.InsertedContent.Text, "slices.Grow") {
			t.Errorf("replacement %+v", replaced)
		}
		if strings.Contains(*result.Message.Text, "](") {
			t.Errorf("the message has a link: %s", *result.Message.Text)
		}
	}
}
