package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"onthestack/internal/owncode/compare"
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

// The parts of a log are objects of SARIF 2.1.0 (OASIS Standard, errata 01) with the standard's names. The tests hold
// each log against the standard's schema. The types of go-sarif, by which the tests read a log back, would link
// net/http and a validator into checkalloc, which makes the program 5.6 MB larger (27.8 instead of 22.2 MB), and would
// write an empty array for each of the many properties that a log leaves out (12 to 22 % more bytes).
type object map[string]any

// filled returns an object without the properties that have no value.
func filled(o object) object {
	maps.DeleteFunc(o, func(_ string, value any) bool { return reflect.ValueOf(value).IsZero() })
	return o
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
	b := newSARIF(v, o)
	benchmarks := []object{}
	for _, m := range v.Benchmarks {
		benchmarks = append(benchmarks, benchmarkOf(m.Name, m.N, m.NsPerOp, m.BytesPerOp, m.AllocsPerOp))
	}
	results, notifications := b.results()
	status := object{"executionSuccessful": v.Stage == "" ||
		v.Stage == verdict.StageBenchmark && len(v.Benchmarks) > 0}
	if len(notifications) > 0 {
		status["toolExecutionNotifications"] = notifications
	}
	return b.write(w, present.Heading(v), strings.ReplaceAll(cmp.Or(v.Exercise, printable.Inline(v.Title)), " ", "-"),
		allocationRules(), status, results, object{"go": v.Go, "goos": v.GOOS, "goarch": v.GOARCH, "engine": v.Engine,
			"benchmarks": benchmarks})
}

// An Increase is a package whose lines started to allocate or allocate more, according to a comparison.
type Increase struct {
	*compare.Comparison
	Verdict *verdict.Verdict // of the new side
	Options SARIFOptions
}

// IncreasesSARIF writes a log with the lines of packages that started to allocate or allocate more, as SARIF has all
// lines of a package. It is of one run, so that an empty log replaces the one before. An error is w's.
func IncreasesSARIF(w io.Writer, all []Increase, version string) error {
	log := newSARIF(&verdict.Verdict{}, SARIFOptions{Version: version})
	results := []object{}
	for _, i := range all {
		v := *i.Verdict
		v.Inside, v.Errors, v.Tests.Output, v.Escapes = nil, nil, "", nil
		v.Allocations = slices.DeleteFunc(slices.Clone(v.Allocations), func(a verdict.Allocation) bool {
			return !slices.ContainsFunc(i.Lines, func(l compare.Line) bool {
				here := func(p compare.Place) bool { return p.File == a.File && p.Line == a.Line }
				return (l.Kind == compare.Started || l.Kind == compare.More) && l.Benchmark == a.Benchmark &&
					slices.ContainsFunc(l.New.Places, here)
			})
		})
		b := newSARIF(&v, i.Options)
		b.seen = log.seen // files of two packages may have the same name
		found, _ := b.results()
		results = append(results, found...)
	}
	for _, r := range results {
		r["level"] = "warning"
	}
	return log.write(w, "the changes", "compare", allocationRules(), object{"executionSuccessful": true}, results, nil)
}

func newSARIF(v *verdict.Verdict, o SARIFOptions) *sarifBuilder {
	return &sarifBuilder{v: v, o: o, shares: present.SharesOf(v), seen: map[string]int{}, texts: map[string][]string{}}
}

func allocationRules() (rules []object) {
	for _, r := range present.Rules() {
		rules = append(rules, newRule(r.ID, string(r.Kind), "Allocation: "+r.Title, r.Help(), object{"text": r.Help(),
			"markdown": "**" + r.Title + "** (`" + string(r.Kind) + "`)\n\n" + r.Help()}))
	}
	return rules
}

// A sarifBuilder makes a log.
type sarifBuilder struct {
	v      *verdict.Verdict
	o      SARIFOptions
	shares present.Shares
	seen   map[string]int      // number of results by fingerprint
	texts  map[string][]string // lines of files by name
}

// write writes the log of a run about a package. Each run replaces the one before in its series, "" for none, and each
// package is a series.
func (b *sarifBuilder) write(w io.Writer, about, series string, rules []object, status object, results []object,
	properties object) error {
	run := filled(object{
		"tool":        object{"driver": filled(object{"name": "checkalloc", "version": b.o.Version, "rules": rules})},
		"columnKind":  "utf16CodeUnits",
		"invocations": []object{status},
		"results":     results,
		"properties":  filled(properties),
	})
	if series != "" {
		run["automationDetails"] = object{"id": "checkalloc/" + series + "/"} // the slash at the end makes it a series
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(object{"$schema": schema, "version": "2.1.0", "runs": []object{run}}); err != nil {
		return fmt.Errorf("write the SARIF log of %s: %w", about, err)
	}
	return nil
}

// results returns a result for each line that allocates, and what kept other lines or the package from having one.
func (b *sarifBuilder) results() (results, notifications []object) {
	type ranked struct {
		line  present.Line
		fn    present.Function
		share float64
	}
	var lines []ranked
	functions, outside := present.Functions(b.v, b.o.Source), 0 // lines of packages without a folder
	for _, f := range present.Inside(b.v, b.o.Source) {
		if b.physical(f.File, 0, 0) == nil {
			outside += len(f.Lines)
		} else {
			functions = append(functions, f)
		}
	}
	for _, f := range functions {
		for _, l := range f.Lines {
			lines = append(lines, ranked{l, f, b.shares.Of(l.Figures())})
		}
	}
	slices.SortStableFunc(lines, func(a, b ranked) int { return cmp.Compare(b.share, a.share) })
	notify := func(level string, message object, locations ...object) {
		notifications = append(notifications,
			filled(object{"level": level, "message": message, "locations": locations}))
	}
	results = []object{}
	for i, l := range lines {
		if i == maxResults {
			notify("warning", object{"text": fmt.Sprintf(
				"%d more lines allocate: the %d with the largest parts are reported.", len(lines)-i, maxResults)})
			break
		}
		results = append(results, b.result(l.fn, l.line, l.share))
	}
	if outside > 0 {
		notify("note", object{"text": present.Plural(outside, "line") + " of packages outside of the repository " +
			"allocated; the lines that call them are reported."})
	}
	for _, p := range b.v.Errors {
		var places []object
		if at := b.physical(p.File, p.Line, p.Col); at != nil {
			places = append(places, object{"physicalLocation": at})
		}
		notify("error", escapeMessage(orElse(printable.Clean(p.Message), "error")), places...)
	}
	if out := strings.TrimSpace(printable.Clean(b.v.Tests.Output)); out != "" {
		notify("error", escapeMessage(out))
	}
	return results, notifications
}

func benchmarkOf(name string, n int, ns, bytes, allocs float64) object {
	return object{"name": printable.Clean(name), "n": n, "ns_per_op": ns, "bytes_per_op": bytes,
		"allocs_per_op": allocs}
}

func newRule(id, name, title, description string, help object) object {
	return object{
		"id": id, "name": pascal(name), "shortDescription": object{"text": title},
		"fullDescription": object{"text": description}, "help": help,
		"defaultConfiguration": object{"level": "note"},
		"properties": object{"tags": []string{"performance", "allocation"}, "precision": "very-high",
			"problem.severity": "recommendation"},
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
func (b *sarifBuilder) result(f present.Function, l present.Line, share float64) object {
	notes := l.Notes()
	about := notes[0].Rule
	var figures []object
	for _, m := range l.Figures() {
		figures = append(figures, object{"benchmark": printable.Clean(m.Benchmark), "allocs_per_op": m.AllocsPerOp,
			"bytes_per_op": m.BytesPerOp})
	}
	var callees []string
	for _, n := range notes {
		for _, calls := range n.Callees {
			callees = append(callees, printable.Inline(strings.Join(calls, " → ")))
		}
	}
	index := slices.IndexFunc(present.Rules(), func(r present.Rule) bool { return r.ID == about.ID })
	r := object{
		"ruleId": about.ID, "ruleIndex": index, "level": "note",
		"message": escapeMessage(message(b.v, l, notes) + b.measuredBy(f)),
		"locations": []object{filled(object{"physicalLocation": b.physical(l.File, l.Number, l.Column()),
			"logicalLocations": []object{{"fullyQualifiedName": b.qualified(f), "kind": "function"}}})},
		"properties": filled(object{"figures": figures, "callees": callees}),
		"partialFingerprints": b.fingerprints("checkallocLine/v1", about.ID, l.File, f.Name,
			strings.Join(strings.Fields(l.Code), " ")),
	}
	if share >= warning {
		r["level"] = "warning"
	}
	if present.Measured(b.v) {
		r["rank"] = share * 100
	}
	var flows []object
	for _, reason := range l.Reasons {
		if flow := b.flow(l, reason); len(flow) > 0 {
			flows = append(flows, object{"threadFlows": []object{{"locations": flow}}})
		}
	}
	if len(flows) > 0 {
		r["codeFlows"] = flows
	}
	return r
}

// message returns a sentence for each reason: "1 alloc/op, 48 B/op: the bytes.Buffer moves to the heap."
func message(v *verdict.Verdict, l present.Line, notes []present.Note) string {
	var sentences []string
	for _, n := range notes {
		var figures []string
		for _, m := range n.Figures {
			figure := verdict.FormatFigures(m.AllocsPerOp, m.BytesPerOp)
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
func escapeMessage(plain string) object {
	return object{"text": strings.NewReplacer("{", "{{", "}", "}}", "](", "] (").Replace(plain)}
}

// flow returns the steps that lead a value to the heap, from the line that makes it.
func (b *sarifBuilder) flow(l present.Line, reason verdict.Reason) (flow []object) {
	if len(reason.Flow) == 0 {
		return nil
	}
	step := func(file string, line, col int, message string) {
		at := b.physical(file, line, col)
		if at == nil {
			message += fmt.Sprintf(" (%s:%d)", printable.Inline(file), line)
		}
		flow = append(flow, object{"location": filled(object{"physicalLocation": at,
			"message": escapeMessage(orElse(printable.Inline(message), "the value is handed on"))})})
	}
	step(l.File, l.Number, reason.Col, cmp.Or(reason.Why, reason.Message))
	for _, s := range reason.Flow[:min(len(reason.Flow), maxFlowSteps-1)] {
		step(s.File, s.Line, s.Col, cmp.Or(s.Message, s.Text))
	}
	return flow
}

// physical returns a place in a file of one of the packages, or nil for a place in no such file.
func (b *sarifBuilder) physical(file string, line, col int) object {
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
	uri := strings.ReplaceAll((&url.URL{Path: path.Join(dir, name)}).EscapedPath(), ":", "%3A")
	return filled(object{"artifactLocation": object{"uri": uri, "uriBaseId": base},
		"region": b.region(file, line, col)})
}

// region returns a line of a file from a column on, nil if the line is not known.
func (b *sarifBuilder) region(file string, line, col int) object {
	if line < 1 {
		return nil
	}
	region := object{"startLine": line}
	if code, ok := b.line(file, line); ok {
		if col < 1 || col > len(code) {
			col = len(code) - len(strings.TrimLeft(code, " \t")) + 1
		}
		start := units(code[:col-1]) + 1
		region["startColumn"] = start
		region["endColumn"] = max(units(strings.TrimRight(code, " \t\r"))+1, start)
		region["snippet"] = object{"text": orElse(present.Shorten(printable.Clean(code), 400), " ")}
	}
	return region
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

// fingerprints identifies a result even after lines were added or removed around its own: by what it is about, such as
// its rule, function and text. Results that are equal in all of these are numbered. GitHub recognizes an alert in later
// runs by the first of the two fingerprints.
func (b *sarifBuilder) fingerprints(kind string, about ...string) object {
	sum := sha256.Sum256([]byte(strings.Join(about, "\x00")))
	id := hex.EncodeToString(sum[:8])
	b.seen[id]++
	id = fmt.Sprintf("%s:%d", id, b.seen[id])
	return object{"primaryLocationLineHash": id, kind: id}
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
