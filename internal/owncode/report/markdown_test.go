package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

func write(t testing.TB, s fixture) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, s.verdict, s.source, "example.com/shop/v2"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// check proves that a comment has the markup of this file and no other, whatever stands in it.
func check(t testing.TB, comment string) {
	t.Helper()
	if len(comment) > MaxBytes {
		t.Errorf("%d bytes", len(comment))
	}
	if !utf8.ValidString(comment) {
		t.Error("no UTF-8")
	}
	source := []byte(comment)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	details := 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading, *ast.Link, *ast.AutoLink, *ast.Image, *ast.CodeSpan, *ast.Blockquote, *ast.List,
			*ast.CodeBlock, *ast.ThematicBreak:
			t.Errorf("%s: %s", n.Kind(), n.Text(source))
		case *ast.Emphasis:
			if got := string(n.Text(source)); got != "checkalloc" {
				t.Errorf("emphasis of %q", got)
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				s := n.Segments.At(i)
				if tag := string(s.Value(source)); !strings.Contains("<code></code><sub></sub>", tag) {
					t.Errorf("inline HTML %s", tag)
				}
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				s := n.Lines().At(i)
				line := strings.TrimSpace(string(s.Value(source)))
				switch {
				case strings.HasPrefix(line, "<details><summary>"):
					details++
				case line == "</details>":
					details--
				default:
					t.Errorf("HTML %s", line)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if details != 0 {
		t.Errorf("%d details are not closed", details)
	}
	// A mention, a reference or an address counts wherever it stands outside of code.
	outside := comment
	for _, tag := range []string{"code", "pre"} {
		for {
			before, rest, found := strings.Cut(outside, "<"+tag+">")
			_, after, closed := strings.Cut(rest, "</"+tag+">")
			if !found || !closed {
				break
			}
			outside = before + after
		}
	}
	fenced := false
	fence := ""
	for line := range strings.Lines(outside) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !fenced && strings.HasPrefix(line, "```"):
			fenced, fence = true, strings.Repeat("`", len(line)-len(strings.TrimLeft(line, "`")))
		case fenced && line == fence:
			fenced = false
		case !fenced && strings.ContainsAny(line, "@[]") || !fenced && strings.Contains(line, "://"):
			t.Errorf("outside of code: %s", line)
		}
	}
	if fenced {
		t.Error("a fence is not closed")
	}
}

// TestMarkdown writes the verdicts in the tests of package present as comments.
func TestMarkdown(t *testing.T) {
	for _, s := range recorded(t) {
		t.Run(s.name, func(t *testing.T) {
			comment := write(t, s)
			check(t, comment)
			name := filepath.Join("testdata", "markdown", s.name+".md")
			if *update {
				if err := os.WriteFile(name, []byte(comment), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if comment != string(want) {
				t.Errorf("%s is no longer what is written: go test ./internal/owncode/report -update rewrites it; "+
					"got\n%s", name, comment)
			}
		})
	}
}

func TestMarkdownHostile(t *testing.T) {
	for _, payload := range payloads {
		check(t, write(t, hostile(payload)))
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, payload := range payloads {
		f.Add(payload)
	}
	f.Add(strings.Repeat("`", 3000))
	f.Fuzz(func(t *testing.T, text string) { check(t, write(t, hostile(text))) })
}

// TestMarkdownLimit: a comment keeps to its limit, says how many lines are left out, and closes what it opened.
func TestMarkdownLimit(t *testing.T) {
	for _, allocating := range []int{3, 30, 3000} {
		s := large(20_000, allocating, 3)
		comment := write(t, s)
		check(t, comment)
		shown := strings.Count(comment, " := append(")
		last := comment[strings.LastIndex(strings.TrimSpace(comment), "\n")+1:]
		switch left := allocating - shown; {
		case left == 0 && strings.Contains(last, "…"), left == 1 && last != "… 1 more line\n":
			t.Errorf("%d lines left out: %s", left, last)
		case left > 1 && last != "… "+present.Plural(left, "more line")+"\n":
			t.Errorf("%d lines left out: %s", left, last)
		}
	}
}

// TestMarkdownLive: a target for live bytes is beside the bytes that are allocated.
func TestMarkdownLive(t *testing.T) {
	live, target := 4133.0, 72.0
	var b strings.Builder
	benchmarks(&b, []verdict.Benchmark{{Name: "BenchmarkA", LiveBytesPerOp: &live, TargetLiveBytes: &target}})
	if want := "| 0 | 0, 4133 live (target 72) |"; !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwithout %q", b.String(), want)
	}
}
