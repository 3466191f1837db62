package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"onthestack/internal/owncode/budget"
	"onthestack/internal/owncode/compare"
	"onthestack/internal/verdict"
)

// commentLinks returns the addresses of the links in a comment.
func commentLinks(t *testing.T, comment string) (links []string) {
	t.Helper()
	source := []byte(comment)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	if err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			links = append(links, string(link.Destination))
		}
		return ast.WalkContinue, nil
	}); err != nil {
		t.Fatal(err)
	}
	return links
}

// TestCommentLinks proves that lines of the new side have links, whatever a file is called, and others none.
func TestCommentLinks(t *testing.T) {
	places := func(file string, line int) []compare.Place {
		return []compare.Place{{File: file, Line: line, Func: "F", Code: "x := f()"}}
	}
	c := &compare.Comparison{Lines: []compare.Line{
		{Kind: compare.Started, Benchmark: "BenchmarkF", New: compare.At{Places: places("a|b](x).go", 3), Why: "why"}},
		{Kind: compare.Stopped, Benchmark: "BenchmarkF", Old: compare.At{Places: places("gone.go", 0), Why: "why"}},
	}}
	o := CommentOptions{Links: "https://example.org/you/m/blob/1a2b",
		Path: func(file string) string { return "sub dir/" + file }}
	var b bytes.Buffer
	if err := ComparisonMarkdown(&b, c, o); err != nil {
		t.Fatal(err)
	}
	const want = "https://example.org/you/m/blob/1a2b/sub%20dir/a%7Cb%5D%28x%29.go#L3"
	if links := commentLinks(t, b.String()); len(links) != 1 || links[0] != want {
		t.Errorf("links %q in\n%s", links, b.String())
	}
}

// TestGuardMarkdown writes the findings that fail, with links, and nothing if all budgets hold.
func TestGuardMarkdown(t *testing.T) {
	o := CommentOptions{Links: "https://example.org/b", Path: func(file string) string { return file }}
	var b bytes.Buffer
	if err := GuardMarkdown(&b, guardReport(), o); err != nil {
		t.Fatal(err)
	}
	const want = `### Budgets

1 budget holds, 2 do not, 3 are in error.

| line | what does not hold |
|---|---|
| [<code>p/ring&#95;test.go&#58;9</code>](https://example.org/b/p/ring_test.go#L9) | BenchmarkPush: 2 allocs/op, `
	if !strings.HasPrefix(b.String(), want) || strings.Contains(b.String(), "nothing escapes") ||
		strings.Contains(b.String(), "\x1b") {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	// Five findings, and the lines that explain two of them, as many as are shown.
	if links := commentLinks(t, b.String()); len(links) != 5+maxBecause+1 {
		t.Errorf("%d links in\n%s", len(links), b.String())
	}
	b.Reset()
	if err := GuardMarkdown(&b, &budget.Report{Held: 1, Findings: []budget.Finding{{Kind: budget.Note}}}, o); err != nil ||
		b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
}

// TestIncreasesSARIF writes a log of lines that allocate more: of two packages, and of none.
func TestIncreasesSARIF(t *testing.T) {
	allocation := func(line int) verdict.Allocation {
		return verdict.Allocation{Benchmark: "BenchmarkF", File: "a.go", Line: line, Func: "F", Code: "x := f()",
			AllocsPerOp: 1, BytesPerOp: 8, Why: "it escapes"}
	}
	place := func(line int) compare.At { return compare.At{Places: []compare.Place{{File: "a.go", Line: line}}} }
	v := &verdict.Verdict{Package: "example.com/p", Benchmarks: []verdict.Benchmark{{Name: "BenchmarkF", N: 1}},
		Allocations: []verdict.Allocation{allocation(3), allocation(5), allocation(7), allocation(9)}}
	c := &compare.Comparison{Lines: []compare.Line{
		{Kind: compare.Started, Benchmark: "BenchmarkF", New: place(3)},
		{Kind: compare.More, Benchmark: "BenchmarkF", Old: place(4), New: place(5)},
		{Kind: compare.Fewer, Benchmark: "BenchmarkF", Old: place(8), New: place(7)},
		{Kind: compare.Started, Benchmark: "BenchmarkG", New: place(9)},
	}}
	all := []Increase{{c, v, SARIFOptions{Dir: "p"}}, {c, v, SARIFOptions{Dir: "q"}}}
	for _, test := range []struct {
		all  []Increase
		want string
	}{
		{all, "p/a.go:3 p/a.go:5 q/a.go:3 q/a.go:5"},
		{nil, ""},
	} {
		var b bytes.Buffer
		if err := IncreasesSARIF(&b, test.all, "1.2.3"); err != nil {
			t.Fatal(err)
		}
		log := readSARIF(t, b.Bytes())
		checkSARIF(t, log, b.Bytes())
		var got []string
		for _, r := range log.Runs[0].Results {
			at := r.Locations[0].PhysicalLocation
			got = append(got, position(*at.ArtifactLocation.URI, *at.Region.StartLine))
			if r.Level != "warning" {
				t.Errorf("level %s", r.Level)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
