package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

// The kinds of code actions.
const (
	kindFix       = "quickfix"
	kindDirective = "refactor.rewrite"
	kindCommand   = "source.checkalloc"
)

// actions returns the proven edits on the lines of a range, the directive for a benchmark there, and the commands, for
// editors that show no lenses.
func (s *server) actions(b *buffer, v view, p documentParams) []codeAction {
	actions := []codeAction{}
	if f := s.packages[filepath.Dir(b.file)]; f != nil {
		for _, e := range s.proven(f) {
			if e.on(filepath.Base(b.file), p.Range) {
				actions = append(actions, codeAction{Title: e.title, Kind: kindFix, Edit: &e.edit})
			}
		}
	}
	for _, bench := range benchmarksIn(b) {
		at := span{position{Line: bench.line}, position{Line: bench.line}}
		if edit, directive := v.directive(b.uri, bench); directive != "" && at.overlaps(p.Range) {
			title := "Hold this budget: " + directive
			actions = append(actions, codeAction{Title: title, Kind: kindDirective, Edit: &edit})
		}
	}
	for _, c := range []command{
		{"Measure the allocations of this package", commandMeasure, []any{target{URI: b.uri}}},
		{"Suggest edits to this package that allocate less", commandSuggest, []any{target{URI: b.uri}}},
	} {
		actions = append(actions, codeAction{Title: c.Title, Kind: kindCommand, Command: &c})
	}
	return slices.DeleteFunc(actions, func(a codeAction) bool { return !wanted(a.Kind, p.Context.Only) })
}

// wanted reports whether a client asks for a kind of action. A kind in only also asks for all kinds that begin with it
// and a dot.
func wanted(kind string, only []string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k string) bool {
		return kind == k || strings.HasPrefix(kind, k+".")
	})
}

// A provenEdit is an edit that was proven for the text that the editor shows.
type provenEdit struct {
	title string
	edit  workspaceEdit
	lines map[string][]int // it is about these lines, from 0, by base name
	file  string           // of the line that allocates most, "" for several edits together
	line  int              // from 1
}

// on reports whether an edit is about lines of a range.
func (e provenEdit) on(base string, r span) bool {
	return slices.ContainsFunc(e.lines[base], func(line int) bool { return r.Start.Line <= line && line <= r.End.Line })
}

// proven returns the proven edits of a package whose text is still the one for which they were proven. If several help
// together, that is the last one.
func (s *server) proven(f *figures) (edits []provenEdit) {
	if f.suggested == nil {
		return nil
	}
	for base, text := range f.before {
		if !bytes.Equal(s.present(f, base), text) {
			return nil
		}
	}
	all := map[string][]int{}
	for _, p := range f.suggested.Suggestions {
		if p.Outcome != suggest.Proven || len(p.Lines) == 0 {
			continue
		}
		lines := map[string][]int{}
		for _, l := range p.Lines {
			lines[l.File] = append(lines[l.File], l.Line-1)
		}
		for _, c := range p.Changes {
			lines[c.File] = append(lines[c.File], c.Start-1)
		}
		for base, on := range lines {
			all[base] = append(all[base], on...)
		}
		title := p.Title
		if len(p.Benchmarks) > 0 {
			b := p.Benchmarks[0]
			title += fmt.Sprintf(": %s → %s allocs/op, %s → %s B/op", verdict.FormatCount(b.Allocs.Old),
				verdict.FormatCount(b.Allocs.New), verdict.FormatBytes(b.Bytes.Old), verdict.FormatBytes(b.Bytes.New))
		}
		first := p.Lines[0]
		title = present.Capital(title) + " (proven)"
		edits = append(edits, provenEdit{title, s.edit(f, p.Files), lines, first.File, first.Line})
	}
	if together := f.suggested.Together; together != nil && len(together.IDs) > 1 {
		title := fmt.Sprintf("Make all %d edits that are proven together", len(together.IDs))
		edits = append(edits, provenEdit{title, s.edit(f, together.Files), all, "", 0})
	}
	return edits
}

// edit returns the edit that gives files of a package another text.
func (s *server) edit(f *figures, files map[string][]byte) workspaceEdit {
	e := workspaceEdit{map[string][]textEdit{}}
	for base, text := range files {
		e.Changes[s.uri(filepath.Join(f.dir, base))] = editsOf(f.before[base], text)
	}
	return e
}

// directive returns the directive that holds a benchmark to its figures, and the edit that inserts it. It is "" if
// there are no figures, or none that hold, or if the benchmark has a directive.
func (v view) directive(uri string, b benchmark) (edit workspaceEdit, directive string) {
	all := v.measured(b.name)
	if len(all) == 0 || v.stale != "" || b.budget {
		return edit, ""
	}
	allocs, size := largest(all)
	count := strconv.FormatFloat(math.Ceil(allocs*1000)/1000, 'f', -1, 64)
	directive = fmt.Sprintf("//checkalloc:allocs<=%s bytes<=%.0f", count, math.Ceil(size))
	text := directive + "\n"
	if b.doc {
		text = "//\n" + text // as gofmt does
	}
	at := position{Line: b.line}
	return workspaceEdit{map[string][]textEdit{uri: {{span{at, at}, text}}}}, directive
}

// hold asks the client to insert the directive for a benchmark.
func (s *server) hold(ctx context.Context, file, function string) error {
	s.mu.Lock()
	var edit workspaceEdit
	directive := ""
	if b := s.buffers[file]; b != nil {
		v := s.view(filepath.Dir(file))
		for _, bench := range benchmarksIn(b) {
			if bench.name == function {
				edit, directive = v.directive(b.uri, bench)
			}
		}
	}
	s.mu.Unlock()
	if directive == "" {
		return jrpc2.Errorf(requestFailed, "there are no figures to hold: measure the package first")
	}
	if err := s.ask(ctx, "workspace/applyEdit", object{"label": "Hold this budget", "edit": edit}); err != nil {
		return jrpc2.Errorf(requestFailed, "the editor did not insert %s", directive)
	}
	return nil
}

// samples is how often each benchmark is timed before and after an edit.
const samples = 6

// suggest finds and proves edits for the package of a job. They are then offered as code actions.
func (s *server) suggest(ctx context.Context, j *job) error {
	return j.explain(ctx, func(subject *userpkg.Package, _ *verdict.Verdict) error {
		o := suggest.Options{Measure: j.options(), Count: samples, Limit: time.Minute}
		result, err := suggest.Run(ctx, subject, o, func(e suggest.Event) { j.report(e.String()) })
		var why *suggest.NotMeasured
		if errors.As(err, &why) {
			j.last = why.Error()
			s.showMessage(messageError, j.last)
			return nil
		} else if err != nil {
			return err
		}
		s.mu.Lock()
		if f := s.packages[j.dir]; f != nil {
			f.suggested, f.before = result, subject.Texts
		}
		s.mu.Unlock()
		j.last = suggestSummary(result)
		s.showMessage(messageInfo, j.last)
		return nil
	})
}

func suggestSummary(r *suggest.Result) string {
	proven, tried := 0, len(r.Suggestions)+len(r.Rejected)
	for _, s := range r.Suggestions {
		if s.Outcome == suggest.Proven {
			proven++
		}
	}
	switch {
	case proven == 0:
		return fmt.Sprintf("%s: no edit is proven, of %d that were tried", r.Package, tried)
	case proven == 1:
		return r.Package + ": 1 edit is proven; it is a code action on its line"
	}
	return fmt.Sprintf("%s: %d edits are proven; they are code actions on their lines", r.Package, proven)
}
