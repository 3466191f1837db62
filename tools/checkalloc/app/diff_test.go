package app

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/exercise"
)

// TestCodeLines reads the cases that web/test/unit/solution.test.ts reads, too.
func TestCodeLines(t *testing.T) {
	text, err := os.ReadFile("testdata/code-lines.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		File string
		Code []string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		var got []string
		for _, line := range codeLines([]byte(c.File)) {
			got = append(got, line.code)
		}
		if !slices.Equal(got, c.Code) {
			t.Errorf("%q: %q, want %q", c.File, got, c.Code)
		}
	}
}

// TestDiff leaves comments, blank lines and the blanks of gofmt out, and shows each line as it stands in its file.
func TestDiff(t *testing.T) {
	const mine = "package a\n\n// mine\nvar x   = \"//\" // one\n\nvar y = 1\n\nvar z = 3 // same\n"
	const theirs = "package a\n/* the solution\nsays why */\nvar x = \"//\"\n\n\nvar y = 2 // two\nvar z = 3\n"
	e := &exercise.Exercise{Solution: map[string][]byte{"a.go": []byte(theirs)}}
	e.Edit = []string{"a.go"}
	for _, c := range []struct{ yours, want string }{
		{theirs, "Your code is identical to the solution.\n"},
		{theirs + "// more\n", "Your code is identical to the solution, apart from comments and white space.\n"},
		{mine, "diff yours/a.go solution/a.go\n--- yours/a.go\n+++ solution/a.go\n@@ -1 +1 @@\n package a\n" +
			" var x   = \"//\" // one\n-var y = 1\n+var y = 2 // two\n var z = 3 // same\n"},
		{"", "diff yours/a.go solution/a.go\n--- yours/a.go\n+++ solution/a.go\n@@ -0 +1 @@\n+package a\n" +
			"+var x = \"//\"\n+var y = 2 // two\n+var z = 3\n"},
	} {
		var out bytes.Buffer
		WriteDiff(&out, e, map[string][]byte{"a.go": []byte(c.yours)})
		if got := ansi.Strip(out.String()); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.yours, got, c.want)
		}
	}
}
