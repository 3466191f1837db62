package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
	"onthestack/internal/present/html"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// ProfileHTML writes which lines of a module allocate in a heap profile as a page. The report has a tree. At most top
// lines are in the table, also those with few samples; 0 is for all others. command is the command line that made the
// page. An error is w's.
func ProfileHTML(w io.Writer, r *heapprofile.Report, top int, command string) error {
	shown, less := profileLines(r, top)
	p := &html.Profile{Module: r.Module, Command: command, Summary: profileSummary(r), Notes: r.Notes,
		Rest: profileRest(r, less), Callers: callerFrames(r.Tree), Reasons: reasonFrames(r), Objects: profileObjects(r),
		Figures: func(objects, bytes float64) string { return profileSum(r, objects, bytes) },
		Size:    profileBytes, Count: profileCount,
		Source: r.Source}
	if r.Go != "" { // something was compiled
		p.Platform = fmt.Sprintf("%s %s/%s", r.Go, r.GOOS, r.GOARCH)
	}
	for _, l := range shown {
		line := html.ProfileLine{Figures: profileFigure(r, l), Missing: len(r.Source(l.File)) == 0 || l.Changed != "",
			Allocation: verdict.Allocation{File: l.File, Line: l.Line, Func: l.Func, Code: l.Code, AllocsPerOp: l.Objects,
				BytesPerOp: l.Bytes, Kind: l.Kind, Why: profileWhy(l), Callees: shortCallees(r, l), Reasons: reasonsOf(r, l)}}
		line.ObjectsMargin = profileMargin(l.Objects, l.ObjectsMargin, "")
		line.BytesMargin = profileMargin(l.Bytes, l.BytesMargin, "")
		p.Lines = append(p.Lines, line)
	}
	return html.WriteProfile(w, p)
}

// reasonsOf returns the reasons of a line with the names of files as lines have them: a step names a file of the line's
// package by its base name, and another one by its import path.
func reasonsOf(r *heapprofile.Report, l heapprofile.Line) []why.Reason {
	reasons := slices.Clone(l.Reasons)
	for i := range reasons {
		flow := make([]escape.Step, len(reasons[i].Flow))
		for j, step := range reasons[i].Flow {
			switch {
			case step.File == "":
				step.File = l.File
			case !strings.Contains(step.File, "/"):
				step.File = path.Join(path.Dir(l.File), step.File)
			default:
				step.File = strings.TrimPrefix(r.FileOf(path.Dir(step.File), path.Base(step.File)), r.Module+"/")
			}
			flow[j] = step
		}
		reasons[i].Flow = flow
	}
	return reasons
}

// callerFrames returns the tree of calls for a flame graph.
func callerFrames(n *heapprofile.Node) *html.Frame {
	f := &html.Frame{Label: n.Func, Objects: n.Objects, Bytes: n.Bytes}
	switch {
	case n.Line != nil:
		lineFrame(f, n.Line, fmt.Sprintf("%d  %s", n.Line.Line, n.Line.Code))
	case n.Outside:
		f.Label, f.Group = outsideLabel, present.Outside
	case n.Package != "":
		f.Label, f.Group = n.Package, present.Outside
	case n.Func == "":
		f.Label = "all"
	default:
		f.Title = callPlace(n)
		f.Group = "function"
	}
	for _, c := range n.Children {
		f.Children = append(f.Children, callerFrames(c))
	}
	return f
}

// lineFrame makes a frame one of a line.
func lineFrame(f *html.Frame, l *heapprofile.Line, label string) {
	f.Label, f.Title = label, fmt.Sprintf("%s:%d", l.File, l.Line)
	if text := profileWhy(*l); text != "" {
		f.Title += ", " + text
	}
	f.Group = present.Unknown
	if l.Kind != "" {
		f.Group = present.RuleOf(l.Kind).Group
	}
	if l.Changed == "" {
		f.File, f.Line = l.File, l.Line
	}
}

// reasonFrames returns the lines of a report by the kind of their first reason, for a flame graph.
func reasonFrames(r *heapprofile.Report) *html.Frame {
	root := &html.Frame{Label: "all", Objects: r.Objects, Bytes: r.Bytes}
	kinds := map[why.Kind]*html.Frame{}
	for i := range r.Lines {
		l := &r.Lines[i]
		kind := kinds[l.Kind]
		if kind == nil {
			kind = &html.Frame{Label: "not explained", Group: present.Unknown}
			if l.Kind != "" {
				rule := present.RuleOf(l.Kind)
				kind.Label, kind.Title, kind.Group = rule.Title, rule.What, rule.Group
			}
			kinds[l.Kind] = kind
			root.Children = append(root.Children, kind)
		}
		frame := &html.Frame{Objects: l.Objects, Bytes: l.Bytes}
		lineFrame(frame, l, fmt.Sprintf("%s:%d  %s", l.File, l.Line, l.Code))
		kind.Children = append(kind.Children, frame)
		kind.Objects, kind.Bytes = kind.Objects+l.Objects, kind.Bytes+l.Bytes
	}
	outside := &html.Frame{Label: outsideLabel, Group: present.Outside}
	for _, o := range r.Outside {
		outside.Objects, outside.Bytes = outside.Objects+o.Objects, outside.Bytes+o.Bytes
		outside.Children = append(outside.Children, &html.Frame{Label: o.Package, Group: present.Outside,
			Objects: o.Objects, Bytes: o.Bytes})
	}
	if len(r.Outside) > 0 {
		root.Children = append(root.Children, outside)
	}
	slices.SortStableFunc(root.Children, func(a, b *html.Frame) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return root
}
