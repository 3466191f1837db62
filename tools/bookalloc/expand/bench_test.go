package expand

import (
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// TestBenchProgram tests that a listing and its benchmarks become one file, without the listing's name and the anchors.
func TestBenchProgram(t *testing.T) {
	const listing = "// Package grow grows.\npackage grow\n\nimport \"bytes\"\n\n// ANCHOR: x\n\n" +
		"// Grow grows.\nfunc Grow() *bytes.Buffer { return nil }\n\n// ANCHOR_END: x\n"
	const bench = "package grow_test\n\nimport (\n\t\"testing\"\n\n\tg \"onthestack/book/first/listings/grow\"\n)\n\n" +
		"func BenchmarkGrow(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tg.Grow()\n\t}\n}\n"
	const want = "package main\n\nimport (\n\t\"bytes\"\n\t\"testing\"\n)\n\n// Grow grows.\n" +
		"func Grow() *bytes.Buffer { return nil }\n\n" +
		"func BenchmarkGrow(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tGrow()\n\t}\n}\n"
	part, err := bookdata.MeasuredPartOf(map[string][]byte{"a_test.go": []byte(bench), "grow.go": []byte(listing)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := benchProgram(part); err != nil || got != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
	part, err = bookdata.MeasuredPartOf(map[string][]byte{"grow.go": []byte(listing)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := benchProgram(part); err == nil || !strings.Contains(err.Error(), "it has no benchmark") {
		t.Errorf("got %v", err)
	}
}
