package lsp

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"onthestack/internal/owncode/budget"
	"onthestack/internal/printable"
)

// publish sends the diagnostics of each file in a folder whose diagnostics differ from what the client shows.
// Diagnostics are budgets that do not hold, directives that are mistakes, and lines with proven edits. The caller holds
// s.mu.
func (s *server) publish(dir string) {
	now := s.diagnostics(dir)
	for name := range s.shown {
		if filepath.Dir(name) == dir && now[name] == nil {
			now[name] = []diagnostic{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		list := now[name]
		text, err := json.Marshal(list)
		if err != nil || s.shown[name] == string(text) || s.shown[name] == "" && len(list) == 0 {
			continue
		}
		if s.shown[name] = string(text); len(list) == 0 {
			delete(s.shown, name)
		}
		s.notify("textDocument/publishDiagnostics", object{"uri": s.uri(name), "diagnostics": list})
	}
}

// diagnostics returns what there is to say about the files in a folder, by name.
func (s *server) diagnostics(dir string) map[string][]diagnostic {
	v := s.view(dir)
	texts := map[string][]byte{}
	maps.Copy(texts, v.texts)
	for name, b := range s.buffers {
		if filepath.Dir(name) == dir {
			texts[filepath.Base(name)] = b.text
		}
	}
	found := map[string][]diagnostic{}
	add := func(base string, line, col int, d diagnostic) {
		d.Source = "checkalloc"
		d.Range = contentOf(splitLines(texts[base]), line-1, col)
		name := filepath.Join(dir, base)
		found[name] = append(found[name], d)
	}
	var directives []budget.Directive
	for _, base := range slices.Sorted(maps.Keys(texts)) {
		found, mistakes := budget.Parse(base, texts[base])
		if _, measured := v.texts[base]; measured {
			directives = append(directives, found...)
		}
		for _, m := range mistakes {
			if m.Directive != "" { // else the file does not parse, which other tools say
				add(base, m.Line, m.Col, diagnostic{Severity: severityWarning, Code: string(budget.Malformed),
					Message: printable.Text(m.Message)})
			}
		}
	}
	if v.verdict != nil {
		for _, f := range budget.Check(directives, v.verdict) {
			if f.Kind != budget.Note {
				add(f.File, f.Line, f.Col, s.finding(v, dir, texts, f))
			}
		}
	}
	if f := s.packages[dir]; f != nil {
		for _, e := range s.proven(f) {
			if e.file != "" { // a hint is where the code action is
				add(e.file, e.line, 0, diagnostic{Severity: severityHint, Code: "proven", Message: e.title})
			}
		}
	}
	return found
}

// finding returns the diagnostic for a budget that does not hold, or that was not checked.
func (s *server) finding(v view, dir string, texts map[string][]byte, f budget.Finding) diagnostic {
	d := diagnostic{Severity: severityWarning, Code: string(f.Kind), Message: printable.Text(f.Message)}
	if v.stale != "" || f.Kind == budget.Unchecked {
		d.Severity = severityInformation
	}
	if v.stale != "" {
		d.Message += " (stale: " + printable.Inline(v.stale) + ")"
	}
	if !s.client.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation {
		return d
	}
	for _, because := range f.Because {
		if text, known := texts[because.File]; known && because.Line > 0 {
			at := location{s.uri(filepath.Join(dir, because.File)), contentOf(splitLines(text), because.Line-1, 0)}
			d.Related = append(d.Related, related{at, printable.Text(because.Message)})
		}
	}
	return d
}
