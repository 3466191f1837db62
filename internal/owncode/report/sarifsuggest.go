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
	run := sarifRun{
		Tool:              sarifTool{sarifDriver{Name: "checkalloc", Version: o.Version}},
		ColumnKind:        "utf16CodeUnits",
		Results:           []sarifResult{},
		AutomationDetails: &sarifAutomation{"checkalloc/suggest/" + printable.Inline(r.Package) + "/"},
		Invocations:       []sarifInvocation{{ExecutionSuccessful: true}},
		Properties:        runProperties{Go: r.Go, GOOS: r.GOOS, GOARCH: r.GOARCH, Benchmarks: []sarifBenchmark{}},
	}
	for _, f := range fix.Rules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
			newRule("suggest/"+f.ID, f.ID, f.Title, f.Title, sarifText{Text: "book/" + f.Page + ".md"}))
	}
	for _, f := range r.Benchmarks {
		run.Properties.Benchmarks = append(run.Properties.Benchmarks, sarifBenchmark{Name: printable.Clean(f.Name),
			BytesPerOp: f.BytesPerOp, AllocsPerOp: f.AllocsPerOp})
	}
	for i, s := range r.Suggestions {
		if i == maxResults {
			break
		}
		run.Results = append(run.Results, b.suggestion(&s))
	}
	return writeLog(w, run, printable.Inline(r.Package))
}

func (b *sarifBuilder) suggestion(s *suggest.Suggestion) sarifResult {
	message := fmt.Sprintf("%s (%s): %s.", s.Title, s.Outcome, printable.Inline(s.Message))
	for _, f := range s.Benchmarks {
		message += fmt.Sprintf(" %s: %s instead of %s, %s B/op instead of %s.", printable.Inline(f.Name),
			verdict.FormatAllocs(f.Allocs.New), verdict.FormatCount(f.Allocs.Old), verdict.FormatBytes(f.Bytes.New),
			verdict.FormatBytes(f.Bytes.Old))
	}
	if s.Assumes != "" {
		message += " Assumes: " + s.Assumes
	}
	r := sarifResult{RuleID: "suggest/" + s.Rule, Level: "note", Message: escapeMessage(message),
		Locations: []sarifLocation{},
		RuleIndex: slices.IndexFunc(fix.Rules(), func(f fix.Rule) bool { return f.ID == s.Rule })}
	change := artifactChange{}
	described := fixObject{Description: escapeMessage(s.Title)}
	for _, l := range s.Lines {
		if at := b.physical(l.File, l.Line, 0); at != nil {
			r.Locations = append(r.Locations, sarifLocation{Physical: at})
			break
		}
	}
	for _, c := range s.Changes {
		at := b.physical(c.File, c.Start, 0)
		if at == nil {
			continue
		}
		if change.Artifact.URI != at.Artifact.URI && len(change.Replacements) > 0 {
			described.Changes = append(described.Changes, change)
			change = artifactChange{}
		}
		change.Artifact = at.Artifact
		change.Replacements = append(change.Replacements, sarifReplacement{
			Deleted:  sarifRegion{StartLine: c.Start, StartColumn: 1, EndLine: c.End, EndColumn: 1},
			Inserted: sarifText{Text: c.Text},
		})
	}
	if len(change.Replacements) > 0 {
		described.Changes = append(described.Changes, change)
	}
	r.Fixes = []fixObject{described}
	id := fmt.Sprintf("%s:%d", s.Rule, s.ID)
	if len(s.Lines) > 0 {
		id = s.Rule + ":" + s.Lines[0].Func + ":" + printable.Inline(s.Lines[0].Code)
	}
	id = b.numbered(id)
	// GitHub recognizes an alert in later runs by the first of them.
	r.Fingerprints = map[string]string{"primaryLocationLineHash": id, "checkallocSuggestion/v1": id}
	return r
}
