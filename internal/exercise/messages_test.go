package exercise

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMessages checks that the tests of all exercises word their failures in the one form that the page shows as a
// table: a sentence, then lines of "name: value", among them a line for got and, after it, a line for want.
func TestMessages(t *testing.T) {
	catalog, err := Sealed()
	if err != nil {
		t.Fatal(err)
	}
	messages := 0
	for _, e := range catalog {
		for name, source := range e.Files {
			if !strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, message := range formats(t, e.ID+"/"+name, source) {
				messages++
				if wrong := formless(message); wrong != "" {
					t.Errorf("%s/%s: %s: %q", e.ID, name, wrong, message)
				}
			}
		}
	}
	if messages < 100 {
		t.Errorf("looked at %d messages of failures", messages)
	}
	for message, want := range map[string]string{
		"wrong sum\n  numbers: %v\n  got:     %d\n  want:    %d": "",
		"Smooth panics":                   "",
		"got %d, want %d":                 "got or want stands in the sentence",
		"Len is %d, want %d":              "got or want stands in the sentence",
		"wrong sum\n  got:  %d":           "got without want",
		"wrong sum\n  was  %d":            "a line without a name and a colon",
		"changed\n  is: %v\n  was: %v":    "is and was for got and want",
		"sum\n  want: %d\n  got: %d":      "want before got",
		"wrong sum, with seed %d\n  x: 1": "",
	} {
		if got := formless(message); got != want {
			t.Errorf("of %q it is said that %q, want %q", message, got, want)
		}
	}
}

var (
	expectation = regexp.MustCompile(`\b(got|want)\b`)
	messageLine = regexp.MustCompile(`^  ([a-z]+): +\S`)
)

// formless says what is wrong with the form of a failure's message; "" if nothing is.
func formless(message string) string {
	sentence, rest, _ := strings.Cut(message, "\n")
	if expectation.MatchString(sentence) {
		return "got or want stands in the sentence"
	}
	var got, want bool
	for line := range strings.Lines(rest) {
		name := messageLine.FindStringSubmatch(line)
		switch {
		case name == nil:
			return "a line without a name and a colon"
		case name[1] == "is" || name[1] == "was":
			return "is and was for got and want"
		case name[1] == "want" && !got:
			return "want before got"
		}
		got, want = got || name[1] == "got", want || name[1] == "want"
	}
	if got != want {
		return "got without want"
	}
	return ""
}

// formats returns the formats of failures in a test's source, with the parts that are literals.
func formats(t *testing.T, name string, source []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || function.Sel.Name != "Errorf" && function.Sel.Name != "Fatalf" && function.Sel.Name != "Error" &&
			function.Sel.Name != "Fatal" {
			return true
		}
		var format strings.Builder
		ast.Inspect(call.Args[0], func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				format.WriteString(text)
			}
			return true
		})
		if format.Len() > 0 {
			found = append(found, format.String())
		}
		return true
	})
	return found
}
