package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// WriteSuggestions writes what was found for a package as a log of one run. Each suggestion is a result with a fix,
// which a code review can apply. Proven edits come first. Rejected candidates are left out. An error is w's.
func WriteSuggestions(w io.Writer, r *suggest.Result, o Options) error {
	b := builder{v: &verdict.Verdict{}, o: o, seen: map[string]int{}, texts: map[string][]string{}}
	log := log{Schema: schema, Version: "2.1.0", Runs: []run{{
		Tool: tool{driver{Name: "checkalloc", Version: o.Version}}, ColumnKind: "utf16CodeUnits", Results: []result{},
		AutomationDetails: &automation{"checkalloc/suggest/" + printable.Inline(r.Package) + "/"},
		Invocations:       []invocation{{ExecutionSuccessful: true}},
		Properties:        runProperties{Go: r.Go, GOOS: r.GOOS, GOARCH: r.GOARCH, Benchmarks: []benchmark{}},
	}}}
	run := &log.Runs[0]
	for _, f := range fix.Rules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule{
			ID: "suggest/" + f.ID, Name: pascal(f.ID), ShortDescription: text{Text: f.Title},
			FullDescription: text{Text: f.Title}, Help: text{Text: "book/" + f.Page + ".md"},
			Defaults: configuration{"note"}, Properties: ruleProperties{Tags: []string{"performance", "allocation"},
				Precision: "very-high", Severity: "recommendation"},
		})
	}
	for _, f := range r.Benchmarks {
		run.Properties.Benchmarks = append(run.Properties.Benchmarks, benchmark{Name: printable.Clean(f.Name),
			BytesPerOp: f.BytesPerOp, AllocsPerOp: f.AllocsPerOp})
	}
	for i, s := range r.Suggestions {
		if i == maxResults {
			break
		}
		run.Results = append(run.Results, b.suggestion(&s))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(log); err != nil {
		return fmt.Errorf("write the SARIF log of %s: %w", printable.Inline(r.Package), err)
	}
	return nil
}

func (b *builder) suggestion(s *suggest.Suggestion) result {
	said := fmt.Sprintf("%s (%s): %s.", s.Title, s.Outcome, printable.Inline(s.Message))
	for _, f := range s.Benchmarks {
		said += fmt.Sprintf(" %s: %s instead of %s, %s B/op instead of %s.", printable.Inline(f.Name),
			verdict.FormatAllocs(f.Allocs.New), verdict.FormatCount(f.Allocs.Old), verdict.FormatBytes(f.Bytes.New),
			verdict.FormatBytes(f.Bytes.Old))
	}
	if s.Assumes != "" {
		said += " Assumes: " + s.Assumes
	}
	r := result{RuleID: "suggest/" + s.Rule, Level: "note", Message: escapeMessage(said), Locations: []location{},
		RuleIndex: slices.IndexFunc(fix.Rules(), func(f fix.Rule) bool { return f.ID == s.Rule })}
	change := artifactChange{}
	described := fixObject{Description: escapeMessage(s.Title)}
	for _, l := range s.Lines {
		if at := b.physical(l.File, l.Line, 0); at != nil {
			r.Locations = append(r.Locations, location{Physical: at})
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
		change.Replacements = append(change.Replacements, replacement{
			Deleted:  deletedRegion{StartLine: c.Start, StartColumn: 1, EndLine: c.End, EndColumn: 1},
			Inserted: text{Text: c.Text},
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
	b.seen[id]++
	sum := sha256.Sum256([]byte(id))
	id = fmt.Sprintf("%s:%d", hex.EncodeToString(sum[:8]), b.seen[id])
	// GitHub recognizes an alert in later runs by the first of them.
	r.Fingerprints = map[string]string{"primaryLocationLineHash": id, "checkallocSuggestion/v1": id}
	return r
}
