package report

import (
	"io"
	"path"
	"slices"
	"strings"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// ProfileSARIF writes which lines of a module allocate in a heap profile as a log of one run, as SARIF does for the
// lines of a benchmark. Lines that are not in the sources any more have no result. At most top lines have one, also
// those with few samples; 0 is for all others. SARIFOptions.Others has the folders of all packages. An error is w's.
func ProfileSARIF(w io.Writer, r *heapprofile.Report, top int, o SARIFOptions) error {
	log := newSARIF(&verdict.Verdict{}, SARIFOptions{Version: o.Version})
	shown, less := profileLines(r, top)
	results := []object{}
	changed, outside := 0, 0
	for i, l := range shown {
		if len(results) == maxResults {
			less = append(less, shown[i:]...)
			break
		}
		switch _, known := o.Others[l.Package]; {
		case l.Changed != "":
			changed++
		case !known:
			outside++
		default:
			results = append(results, log.ofLine(r, l, o.Others).profileLine(r, l))
		}
	}
	notes := slices.Concat(r.Notes, profileRest(r, less))
	if changed > 0 {
		notes = append(notes, present.Plural(changed, "line")+" changed since the program was built, and cannot be reported.")
	}
	if outside > 0 {
		notes = append(notes, present.Plural(outside, "line")+
			" of packages outside of the repository allocated, and cannot be reported.")
	}
	properties := object{"go": r.Go, "goos": r.GOOS, "goarch": r.GOARCH, "measure": r.Measure, "rate": r.Rate,
		"objects": r.Objects, "bytes": r.Bytes}
	if r.Per != nil {
		properties["per"] = object{"unit": printable.Inline(r.Per.Unit), "n": r.Per.N}
	}
	return log.writeProfile(w, "profile/", r.Module, notes, results, properties)
}

// writeProfile writes a log about profiles of a module, with notes for the reader.
func (b *sarifBuilder) writeProfile(w io.Writer, series, module string, notes []string, results []object,
	properties object) error {
	status := object{"executionSuccessful": true}
	var notifications []object
	for _, text := range notes {
		notifications = append(notifications, object{"level": "note", "message": escapeMessage(printable.Inline(text))})
	}
	if len(notifications) > 0 {
		status["toolExecutionNotifications"] = notifications
	}
	module = printable.Inline(module)
	return b.write(w, module, series+module, allocationRules(), status, results, properties)
}

// ofLine returns a builder for the package of a line, whose folder is known.
func (b *sarifBuilder) ofLine(r *heapprofile.Report, l heapprofile.Line, folders map[string]string) *sarifBuilder {
	source := func(file string) []byte {
		if strings.Contains(file, "/") { // of another package
			return r.Source(r.FileOf(path.Dir(file), path.Base(file)))
		}
		return r.Source(path.Join(path.Dir(l.File), file))
	}
	packageLog := newSARIF(&verdict.Verdict{}, SARIFOptions{Dir: folders[l.Package], Others: folders, Source: source})
	packageLog.seen = b.seen // lines of two packages may be alike
	return packageLog
}

// profileLine returns the result for a line of a profile.
func (b *sarifBuilder) profileLine(r *heapprofile.Report, l heapprofile.Line) object {
	rule := present.RuleOf(l.Kind)
	share := present.Part(l.Bytes, r.Bytes)
	file, function := path.Base(l.File), why.Outermost(l.Func)
	message := printable.Inline(strings.ReplaceAll(profileFigure(r, l), "   ", ", "))
	if reason := profileReason(r, l); reason != "" {
		message += ": " + printable.Inline(reason)
	}
	col := 0
	for _, reason := range l.Reasons {
		if reason.Line == l.Line && col == 0 {
			col = reason.Col
		}
	}
	result := object{
		"ruleId":    rule.ID,
		"ruleIndex": slices.IndexFunc(present.Rules(), func(o present.Rule) bool { return o.ID == rule.ID }),
		"level":     "note",
		"message":   escapeMessage(message + "."),
		"locations": []object{filled(object{"physicalLocation": b.physical(file, l.Line, col), "logicalLocations": []object{
			{"fullyQualifiedName": printable.Inline(l.Package) + "." + printable.Inline(function), "kind": "function"}}})},
		"partialFingerprints": b.fingerprints("checkallocProfileLine/v1", rule.ID, l.Package, file, function,
			strings.Join(strings.Fields(l.Code), " ")),
		"properties": filled(object{"objects": l.Objects, "bytes": l.Bytes, "objects_margin": l.ObjectsMargin,
			"bytes_margin": l.BytesMargin, "samples": l.Samples, "callees": shortCallees(r, l), "page": l.Page,
			"benchmark": printable.Inline(l.Benchmark)}),
	}
	if share >= warning {
		result["level"] = "warning"
	}
	if r.Bytes > 0 && l.Bytes >= 0 {
		result["rank"] = min(100, share*100)
	}
	var flows []object
	at := present.Line{File: file, Number: l.Line}
	for _, reason := range l.Reasons {
		if flow := b.flow(at, reason); len(flow) > 0 {
			flows = append(flows, object{"threadFlows": []object{{"locations": flow}}})
		}
	}
	if len(flows) > 0 {
		result["codeFlows"] = flows
	}
	return result
}
