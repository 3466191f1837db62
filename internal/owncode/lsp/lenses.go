package lsp

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
