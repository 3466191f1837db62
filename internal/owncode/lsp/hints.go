package lsp

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// hints answers with what each line of a range allocates.
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
	slices.SortFunc(hints, func(a, b inlayHint) int { return cmp.Compare(a.Position.Line, b.Position.Line) })
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
