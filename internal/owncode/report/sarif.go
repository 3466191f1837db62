package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// SARIFOptions are the inputs of a log other than the verdict or the suggestions.
type SARIFOptions struct {
	// Source returns the text of a file by its base name, with the import path before it for another package's file, or
	// nil if there is none. Columns and snippets are taken from it.
	Source func(file string) []byte
	// Dir is the slash-separated path of the package's folder, relative to the folder that URIs are relative to: the
	// root of the module, or of the repository if the module is not at its root. "" and "." are that folder itself.
	Dir string
	// Others are the folders of other packages, as Dir is, by import path. Lines of packages that are not among them
	// have no result, since code review shows only files of the repository.
	Others map[string]string
	// Version is the version of the checker; "" leaves it out.
	Version string
}

const (
	schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// base is the name that GitHub and others give to the root of the checked out sources.
	base = "%SRCROOT%"
	// warning is the least share of a benchmark's allocs/op or B/op for which a line is a warning rather than a note.
	warning = 0.10
	// GitHub shows at most 5,000 results of a run and 1,000 steps of a flow.
	maxResults   = 5_000
	maxFlowSteps = 1_000
)

// SARIF writes v in the Static Analysis Results Interchange Format, version 2.1.0, as a log of one run. Code review
// shows from it each line that allocates, with its figures, its reason and the steps that lead to the heap. The run has
// a rule for each kind of reason, and a result for each line that allocates; lines with the largest share of their
// benchmark come first. Mistakes that kept v from being measured are notifications, not results. An error is w's.
func SARIF(w io.Writer, v *verdict.Verdict, o SARIFOptions) error {
	b := sarifBuilder{v: v, o: o, shares: present.SharesOf(v), seen: map[string]int{}, texts: map[string][]string{}}
	return writeLog(w, b.run(), present.Heading(v))
}

// writeLog writes a log of one run about a package.
func writeLog(w io.Writer, run sarifRun, about string) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(sarifLog{Schema: schema, Version: "2.1.0", Runs: []sarifRun{run}}); err != nil {
		return fmt.Errorf("write the SARIF log of %s: %w", about, err)
	}
	return nil
}

// A sarifBuilder makes a log.
type sarifBuilder struct {
	v      *verdict.Verdict
	o      SARIFOptions
	shares present.Shares
	seen   map[string]int      // number of results by fingerprint
	texts  map[string][]string // lines of files by name
}

func (b *sarifBuilder) run() sarifRun {
	v := b.v
	r := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "checkalloc", Version: b.o.Version, Rules: rules()}},
		ColumnKind: "utf16CodeUnits",
		Results:    []sarifResult{},
		Properties: runProperties{Go: v.Go, GOOS: v.GOOS, GOARCH: v.GOARCH, Engine: v.Engine,
			Benchmarks: []sarifBenchmark{}},
	}
	if name := strings.ReplaceAll(cmp.Or(v.Exercise, printable.Inline(v.Title)), " ", "-"); name != "" {
		// An id that ends in a slash names a series of runs. Each run replaces the one before, and each package is a
		// series.
		r.AutomationDetails = &sarifAutomation{"checkalloc/" + name + "/"}
	}
	for _, m := range v.Benchmarks {
		r.Properties.Benchmarks = append(r.Properties.Benchmarks,
			sarifBenchmark{printable.Clean(m.Name), m.N, m.NsPerOp, m.BytesPerOp, m.AllocsPerOp})
	}

	type ranked struct {
		line  present.Line
		fn    present.Function
		share float64
	}
	var lines []ranked
	add := func(f present.Function) {
		for _, l := range f.Lines {
			lines = append(lines, ranked{l, f, b.shares.Of(l.Figures())})
		}
	}
	for _, f := range present.Functions(v, b.o.Source) {
		add(f)
	}
	outside := 0 // lines of packages without a folder
	for _, f := range present.Inside(v, b.o.Source) {
		if b.physical(f.File, 0, 0) == nil {
			outside += len(f.Lines)
		} else {
			add(f)
		}
	}
	slices.SortStableFunc(lines, func(a, b ranked) int { return cmp.Compare(b.share, a.share) })
	status := sarifInvocation{ExecutionSuccessful: v.Stage == "" ||
		v.Stage == verdict.StageBenchmark && len(v.Benchmarks) > 0}
	for i, l := range lines {
		if i == maxResults {
			status.Notifications = append(status.Notifications, sarifNotification{Level: "warning",
				Message: sarifText{Text: fmt.Sprintf(
					"%d more lines allocate: the %d with the largest parts are reported.", len(lines)-i, maxResults)}})
			break
		}
		r.Results = append(r.Results, b.result(l.fn, l.line, l.share))
	}
	if outside > 0 {
		status.Notifications = append(status.Notifications, sarifNotification{Level: "note",
			Message: sarifText{Text: present.Plural(outside, "line") + " of packages outside of the repository " +
				"allocated; the lines that call them are reported."}})
	}
	for _, p := range v.Errors {
		n := sarifNotification{Level: "error", Message: escapeMessage(orElse(printable.Clean(p.Message), "error"))}
		if at := b.physical(p.File, p.Line, p.Col); at != nil {
			n.Locations = []sarifLocation{{Physical: at}}
		}
		status.Notifications = append(status.Notifications, n)
	}
	if out := strings.TrimSpace(printable.Clean(v.Tests.Output)); out != "" {
		status.Notifications = append(status.Notifications,
			sarifNotification{Level: "error", Message: escapeMessage(out)})
	}
	r.Invocations = []sarifInvocation{status}
	return r
}

// rules returns a rule of SARIF for each rule of the model.
func rules() []sarifRule {
	var all []sarifRule
	for _, r := range present.Rules() {
		all = append(all, newRule(r.ID, string(r.Kind), "Allocation: "+r.Title, r.Help(), sarifText{Text: r.Help(),
			Markdown: "**" + r.Title + "** (`" + string(r.Kind) + "`)\n\n" + r.Help()}))
	}
	return all
}

func newRule(id, name, title, description string, help sarifText) sarifRule {
	return sarifRule{
		ID: id, Name: pascal(name), ShortDescription: sarifText{Text: title},
		FullDescription: sarifText{Text: description}, Help: help, Defaults: sarifConfiguration{"note"},
		Properties: ruleProperties{Tags: []string{"performance", "allocation"}, Precision: "very-high",
			Severity: "recommendation"},
	}
}

// pascal writes "escapes-to-heap" as "EscapesToHeap", the form that the standard asks for in names of rules.
func pascal(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// result returns the result for a line, which allocates that share of its benchmark, from 0 to 1.
func (b *sarifBuilder) result(f present.Function, l present.Line, share float64) sarifResult {
	notes := l.Notes()
	about := notes[0].Rule
	r := sarifResult{
		RuleID: about.ID, RuleIndex: slices.Index(present.Rules(), about), Level: "note",
		Message: escapeMessage(message(b.v, l, notes) + b.measuredBy(f)),
		Locations: []sarifLocation{{Physical: b.physical(l.File, l.Number, l.Column()),
			Logical: []sarifLogical{{b.qualified(f), "function"}}}},
	}
	if share >= warning {
		r.Level = "warning"
	}
	if present.Measured(b.v) {
		rank := share * 100
		r.Rank = &rank
	}
	for _, reason := range l.Reasons {
		if flow := b.flow(l, reason); len(flow) > 0 {
			r.CodeFlows = append(r.CodeFlows, codeFlow{[]threadFlow{{flow}}})
		}
	}
	for _, m := range l.Figures() {
		r.Properties.Figures = append(r.Properties.Figures,
			sarifFigure{printable.Clean(m.Benchmark), m.AllocsPerOp, m.BytesPerOp})
	}
	for _, n := range notes {
		for _, calls := range n.Callees {
			r.Properties.Callees = append(r.Properties.Callees, printable.Inline(strings.Join(calls, " → ")))
		}
	}
	id := b.fingerprint(about, f, l)
	// GitHub recognizes an alert in later runs by the first of them.
	r.Fingerprints = map[string]string{"primaryLocationLineHash": id, "checkallocLine/v1": id}
	return r
}

// message returns a sentence for each reason: "1 alloc/op, 48 B/op: the bytes.Buffer moves to the heap."
func message(v *verdict.Verdict, l present.Line, notes []present.Note) string {
	var sentences []string
	for _, n := range notes {
		var figures []string
		for _, m := range n.Figures {
			figure := verdict.FormatAllocs(m.AllocsPerOp) + ", " + verdict.FormatBytes(m.BytesPerOp) + " B/op"
			if len(v.Benchmarks) > 1 {
				figure += " in " + printable.Inline(m.Benchmark)
			}
			figures = append(figures, figure)
		}
		sentence := printable.Inline(n.Why)
		if len(figures) > 0 {
			sentence = strings.Join(figures, "; ") + ": " + sentence
		}
		for _, calls := range n.Callees {
			sentence += " (calls " + printable.Inline(strings.Join(calls, " → ")) + ")"
		}
		if n.Shared {
			sentence += "; objects under 16 bytes share blocks, so this count is an estimate"
		}
		sentences = append(sentences, sentence+".")
	}
	return strings.Join(sentences, " ")
}

// measuredBy says whose benchmarks have the figures of a function of another package.
func (b *sarifBuilder) measuredBy(f present.Function) string {
	if !strings.Contains(f.File, "/") {
		return ""
	}
	return " In the benchmarks of " + printable.Inline(b.v.Title) + "."
}

// escapeMessage returns a message in which no text is taken for an argument, "{0}", or for a link, "[text](1)".
func escapeMessage(plain string) sarifText {
	return sarifText{Text: strings.NewReplacer("{", "{{", "}", "}}", "](", "] (").Replace(plain)}
}

// flow returns the steps that lead a value to the heap, from the line that makes it.
func (b *sarifBuilder) flow(l present.Line, reason verdict.Reason) []threadFlowLocation {
	if len(reason.Flow) == 0 {
		return nil
	}
	step := func(file string, line, col int, message string) threadFlowLocation {
		at := b.physical(file, line, col)
		if at == nil {
			message += fmt.Sprintf(" (%s:%d)", printable.Inline(file), line)
		}
		text := escapeMessage(orElse(printable.Inline(message), "the value is handed on"))
		return threadFlowLocation{sarifLocation{Physical: at, Message: &text}}
	}
	flow := []threadFlowLocation{step(l.File, l.Number, reason.Col, cmp.Or(reason.Why, reason.Message))}
	for i, s := range reason.Flow {
		if i == maxFlowSteps-1 {
			break
		}
		flow = append(flow, step(s.File, s.Line, s.Col, cmp.Or(s.Message, s.Text)))
	}
	return flow
}

// physical returns a place in a file of one of the packages, or nil for a place in no such file.
func (b *sarifBuilder) physical(file string, line, col int) *sarifPhysical {
	dir, name := b.o.Dir, file
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		folder, known := b.o.Others[file[:i]]
		if !known {
			return nil
		}
		dir, name = folder, file[i+1:]
	}
	if name == "" || strings.ContainsAny(name, `\<>`) {
		return nil
	}
	// Whatever the path contains, none of it is read as a scheme or a host.
	uri := (&url.URL{Path: path.Join(dir, name)}).EscapedPath()
	p := &sarifPhysical{Artifact: sarifArtifact{URI: strings.ReplaceAll(uri, ":", "%3A"), Base: base}}
	if line < 1 {
		return p
	}
	p.Region = &sarifRegion{StartLine: line}
	code, ok := b.line(file, line)
	if !ok {
		return p
	}
	if col < 1 || col > len(code) {
		col = len(code) - len(strings.TrimLeft(code, " \t")) + 1
	}
	p.Region.StartColumn = units(code[:col-1]) + 1
	p.Region.EndColumn = max(units(strings.TrimRight(code, " \t\r")), p.Region.StartColumn-1) + 1
	p.Region.Snippet = &sarifText{Text: orElse(present.Shorten(printable.Clean(code), 400), " ")}
	return p
}

// line returns a line of a file by its number, from 1.
func (b *sarifBuilder) line(file string, n int) (string, bool) {
	if _, known := b.texts[file]; !known {
		b.texts[file] = strings.Split(string(present.Text(b.o.Source, file)), "\n")
	}
	if lines := b.texts[file]; n <= len(lines) && len(lines) > 1 {
		return lines[n-1], true
	}
	return "", false
}

// units counts the UTF-16 code units of text. The compiler counts bytes instead.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// fingerprint identifies a line even after other lines were added or removed around it: by its rule, function and text.
// Lines that are equal in all of these are numbered.
func (b *sarifBuilder) fingerprint(r present.Rule, f present.Function, l present.Line) string {
	code := strings.Join(strings.Fields(l.Code), " ")
	return b.numbered(strings.Join([]string{r.ID, l.File, f.Name, code}, "\x00"))
}

// numbered returns a hash of what identifies a result, with a number that tells equal ones apart.
func (b *sarifBuilder) numbered(result string) string {
	sum := sha256.Sum256([]byte(result))
	id := hex.EncodeToString(sum[:8])
	b.seen[id]++
	return fmt.Sprintf("%s:%d", id, b.seen[id])
}

// qualified returns the name of a function with its package's path, if the verdict is about a package.
func (b *sarifBuilder) qualified(f present.Function) string {
	importPath := b.v.Title
	if i := strings.LastIndexByte(f.File, '/'); i >= 0 {
		importPath = f.File[:i]
	}
	if b.v.Exercise == "" && importPath != "" {
		return printable.Inline(importPath) + "." + printable.Inline(f.Name)
	}
	return orElse(printable.Inline(f.Name), "package level")
}

// orElse returns text, or instead if text is blank or not valid UTF-8.
func orElse(text, instead string) string {
	if strings.TrimSpace(text) == "" || !utf8.ValidString(text) {
		return instead
	}
	return text
}
