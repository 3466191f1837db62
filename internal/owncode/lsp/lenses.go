package lsp

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/owncode/budget"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// A benchmark is a benchmark function in a file.
type benchmark struct {
	name   string
	line   int  // from 0, of the word func
	doc    bool // whether it has a comment
	budget bool // whether the comment ends with a directive
}

// benchmarksIn returns the benchmark functions of a test file, as far as it can be parsed.
func benchmarksIn(b *buffer) (all []benchmark) {
	if !strings.HasSuffix(b.file, "_test.go") {
		return nil
	}
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, "", b.text, parser.ParseComments|parser.SkipObjectResolution)
	if tree == nil {
		return nil
	}
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !budget.IsBenchmark(f) {
			continue
		}
		b := benchmark{name: f.Name.Name, line: fset.PositionFor(f.Type.Pos(), false).Line - 1, doc: f.Doc != nil}
		if b.doc {
			comments := f.Doc.List
			b.budget = strings.HasPrefix(comments[len(comments)-1].Text, "//checkalloc:")
		}
		all = append(all, b)
	}
	return all
}

// lenses returns the commands above each benchmark, with its figures.
func (s *server) lenses(b *buffer, v view, _ documentParams) []codeLens {
	lenses := []codeLens{}
	for _, bench := range benchmarksIn(b) {
		at := span{position{Line: bench.line}, position{Line: bench.line}}
		add := func(title, name string) {
			lenses = append(lenses, codeLens{at, command{title, name, []any{target{b.uri, bench.name}}}})
		}
		add(v.lensTitle(bench.name), commandMeasure)
		add("suggest", commandSuggest)
		if len(v.measured(bench.name)) > 0 && v.stale == "" && !bench.budget {
			add("hold this budget", commandHold)
		}
	}
	return lenses
}

// measured returns the figures of a benchmark or of its sub-benchmarks.
func (v view) measured(function string) (all []verdict.Benchmark) {
	if v.verdict == nil {
		return nil
	}
	for _, b := range v.verdict.Benchmarks {
		if name, _, _ := strings.Cut(strings.TrimSuffix(b.Name, verdict.InExternalTest), "/"); name == function {
			all = append(all, b)
		}
	}
	return all
}

// largest returns the largest figures of several benchmarks.
func largest(all []verdict.Benchmark) (allocs, bytes float64) {
	for _, b := range all {
		allocs, bytes = max(allocs, b.AllocsPerOp), max(bytes, b.BytesPerOp)
	}
	return allocs, bytes
}

// lensTitle returns the figures of a benchmark, and the word for the command that measures.
func (v view) lensTitle(function string) string {
	all := v.measured(function)
	if len(all) == 0 {
		why := ""
		if v.verdict != nil {
			i := slices.IndexFunc(v.verdict.NotMeasured, func(n verdict.NotMeasured) bool {
				name, _, _ := strings.Cut(n.Name, "/")
				return name == function
			})
			if i >= 0 {
				why = v.verdict.NotMeasured[i].Outcome + " · "
			}
		}
		if why == "" && v.stale != "" {
			why = "not measured: " + v.stale + " · "
		}
		return why + "measure"
	}
	allocs, bytes := largest(all)
	title := verdict.FormatFigures(allocs, bytes)
	if len(all) > 1 {
		title = fmt.Sprintf("at most %s in %d sub-benchmarks", title, len(all))
	}
	if v.stale != "" {
		title += " (stale: " + printable.Inline(v.stale) + ")"
	}
	return title + " · measure"
}

// hints answers with what each line of a range allocates, in benchmarks and in the heap profile.
func (s *server) hints(b *buffer, v view, p documentParams) []inlayHint {
	hints := []inlayHint{}
	lines := splitLines(b.text)
	for line, all := range v.allocations(filepath.Base(b.file)) {
		if line-1 < p.Range.Start.Line || line-1 > p.Range.End.Line || line > len(lines) {
			continue
		}
		label := figureText(most(all))
		if v.stale != "" {
			label += " (stale)"
		}
		hints = append(hints, inlayHint{endOf(lines, line-1), label, v.tooltip(all), true})
	}
	hints = append(hints, s.profileHints(b, lines, p.Range)...)
	slices.SortStableFunc(hints, func(a, b inlayHint) int { return cmp.Compare(a.Position.Line, b.Position.Line) })
	return hints
}

// most returns the allocation with the most allocs/op.
func most(all []verdict.Allocation) verdict.Allocation {
	return slices.MaxFunc(all, func(a, b verdict.Allocation) int {
		return cmp.Or(cmp.Compare(a.AllocsPerOp, b.AllocsPerOp), cmp.Compare(a.BytesPerOp, b.BytesPerOp))
	})
}

// figureText formats what a line allocates: "1 alloc/op · 48 B".
func figureText(a verdict.Allocation) string {
	return verdict.FormatAllocs(a.AllocsPerOp) + " · " + verdict.FormatBytes(a.BytesPerOp) + " B"
}

// tooltip returns what a line allocates in each benchmark, and why.
func (v view) tooltip(all []verdict.Allocation) string {
	var b strings.Builder
	for _, a := range all {
		b.WriteString(figureText(a) + " in " + printable.Inline(a.Benchmark) + ": " + printable.Inline(a.Why) + "\n")
	}
	if v.stale != "" {
		b.WriteString("Stale: " + v.stale + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
