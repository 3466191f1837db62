package report

import (
	"fmt"
	"io"
	"slices"

	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// SuggestionsSARIF writes what was found for a package as a log of one run. Each suggestion is a result with a fix,
// which a code review can apply. Proven edits come first. Rejected candidates are left out. An error is w's.
func SuggestionsSARIF(w io.Writer, r *suggest.Result, o SARIFOptions) error {
	b := sarifBuilder{v: &verdict.Verdict{}, o: o, seen: map[string]int{}, texts: map[string][]string{}}
	var rules []object
	for _, f := range fix.Rules() {
		rules = append(rules,
			newRule("suggest/"+f.ID, f.ID, f.Title, f.Title, object{"text": "book/" + f.Page + ".md"}))
	}
	benchmarks := []object{}
	for _, f := range r.Benchmarks {
		benchmarks = append(benchmarks, benchmarkOf(f.Name, 0, 0, f.BytesPerOp, f.AllocsPerOp))
	}
	results := []object{}
	for _, s := range r.Suggestions[:min(len(r.Suggestions), maxResults)] {
		results = append(results, b.suggestion(&s))
	}
	name := printable.Inline(r.Package)
	return b.write(w, name, "suggest/"+name, rules, object{"executionSuccessful": true}, results,
		object{"go": r.Go, "goos": r.GOOS, "goarch": r.GOARCH, "benchmarks": benchmarks})
}

func (b *sarifBuilder) suggestion(s *suggest.Suggestion) object {
	message := fmt.Sprintf("%s (%s): %s.", s.Title, s.Outcome, printable.Inline(s.Message))
	for _, f := range s.Benchmarks {
		message += fmt.Sprintf(" %s: %s instead of %s, %s B/op instead of %s.", printable.Inline(f.Name),
			verdict.FormatAllocs(f.Allocs.New), verdict.FormatCount(f.Allocs.Old), verdict.FormatBytes(f.Bytes.New),
			verdict.FormatBytes(f.Bytes.Old))
	}
	if s.Assumes != "" {
		message += " Assumes: " + s.Assumes
	}
	locations := []object{}
	for _, l := range s.Lines {
		if at := b.physical(l.File, l.Line, 0); at != nil {
			locations = append(locations, object{"physicalLocation": at})
			break
		}
	}
	var files, replacements []object // the replacements are the last file's
	for i, c := range s.Changes {
		at := b.physical(c.File, 0, 0)
		if at == nil {
			continue
		}
		if i == 0 || c.File != s.Changes[i-1].File {
			files, replacements = append(files, at), nil
		}
		replacements = append(replacements, object{
			"deletedRegion":   object{"startLine": c.Start, "startColumn": 1, "endLine": c.End, "endColumn": 1},
			"insertedContent": object{"text": c.Text},
		})
		files[len(files)-1]["replacements"] = replacements
	}
	id := fmt.Sprintf("%s:%d", s.Rule, s.ID)
	if len(s.Lines) > 0 {
		id = s.Rule + ":" + s.Lines[0].Func + ":" + printable.Inline(s.Lines[0].Code)
	}
	return object{
		"ruleId":    "suggest/" + s.Rule,
		"ruleIndex": slices.IndexFunc(fix.Rules(), func(f fix.Rule) bool { return f.ID == s.Rule }),
		"level":     "note", "message": escapeMessage(message), "locations": locations,
		"fixes":               []object{{"description": escapeMessage(s.Title), "artifactChanges": files}},
		"partialFingerprints": b.fingerprints("checkallocSuggestion/v1", id),
		"properties":          object{},
	}
}
