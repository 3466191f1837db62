package html

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

// A Profile is what the page of a heap profile shows.
type Profile struct {
	Module, Platform string
	Command          string // the command line that made the page, "" leaves it out
	Summary          string
	Notes            []string // what the reader has to know, in whole sentences
	Rest             []string // what the lines leave out
	Lines            []ProfileLine
	// Callers has the calls that lead to the lines, and Reasons has the lines by the kind of their reason. Both have the
	// whole profile at their roots.
	Callers, Reasons *Frame
	Objects          string // what is counted: "allocs" or "objects"
	// Figures writes figures in words, Size a number of bytes, and Count a number of objects.
	Figures func(objects, bytes float64) string
	Size    func(bytes float64) string
	Count   func(objects float64) string
	// Source returns the text of a file by its name in a line, or nil if there is none.
	Source present.Source
}

// A ProfileLine is a line that allocates. Its figures are objects and bytes in the unit of the profile, in place of an
// operation.
type ProfileLine struct {
	verdict.Allocation
	// ObjectsMargin and BytesMargin are how far the figures may be from the truth, "± 4 %"; "" for an exact figure.
	ObjectsMargin, BytesMargin string
	Figures                    string // in words
	Missing                    bool   // the line is not in the source
}

// A Frame is a box of a flame graph, with the boxes below it.
type Frame struct {
	Label          string
	Title          string // more about it, ""
	File           string // of the line that it is about, "" for none
	Line           int
	Group          present.Group
	Objects, Bytes float64
	Children       []*Frame
}

const (
	maxProfileLines = 800   // in the table
	maxBranches     = 300   // of a tree as text
	minBranch       = 0.005 // least share of a branch of it
)

var (
	//go:embed profile.css
	ownOfProfile string
	//go:embed profile.tmpl
	profileText string

	profileStyle = present.Tokens + pageStyle + ownOfProfile
	profilePage  = parsed("profile", profileStyle, script, parts+profileText)
)

// WriteProfile writes a heap profile as a page, as Write does a verdict.
func WriteProfile(w io.Writer, p *Profile) error {
	var b bytes.Buffer
	for part := 1.0; part == 1 || part > 0.01 && b.Len() > maxPage; part *= 0.75 {
		b.Reset()
		if err := profilePage().Execute(&b, buildProfile(p, part)); err != nil {
			return fmt.Errorf("write the page of the profile: %w", err)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// A profileDocument is the input of the template.
type profileDocument struct {
	*Profile
	Heading   string
	Platform  string
	Flames    []profileFlame
	Legend    []kindGroup
	Rows      []profileRow
	MoreRows  int
	Functions []function
	LeftOut   []string
}

// A profileFlame has the flame graphs of one tree, and the tree as text.
type profileFlame struct {
	Class, By string
	Graphs    []graph // by bytes, by objects
	Branches  []treeItem
}

// A treeItem is a branch of a tree as text.
type treeItem struct {
	Label, Figures, ID string
	Children           []treeItem
	More               int // branches that are left out
}

// A profileRow is a row of the table of lines.
type profileRow struct {
	Share                         string
	Tenths                        int
	Bytes, BytesMargin            string
	Objects, ObjectsMargin        string
	Place, Func, ID, Why, Callees string
	Code                          template.HTML
	Rule                          *present.Rule // nil if the line is not explained
}

// profileName is the name of the one benchmark that a profile counts as.
const profileName = "profile"

func buildProfile(p *Profile, part float64) profileDocument {
	v := &verdict.Verdict{Benchmarks: []verdict.Benchmark{{Name: profileName, AllocsPerOp: p.Callers.Objects,
		BytesPerOp: p.Callers.Bytes}}}
	unit := unit{
		columns: [2]string{"bytes", p.Objects},
		cells: func(f present.Figure) columns {
			return columns{First: p.Size(f.BytesPerOp), Second: p.Count(f.AllocsPerOp), SecondUnit: p.Objects}
		},
		sum: func(f present.Figure, _ bool) string {
			return p.share(f.BytesPerOp) + ", " + p.words(f.AllocsPerOp, f.BytesPerOp)
		},
		details: map[sourceLine]string{},
	}
	b := newBuilder(v, Options{Source: p.Source}, part, unit)
	for _, l := range p.Lines {
		if !l.Missing {
			a := l.Allocation
			a.Benchmark = profileName
			v.Allocations = append(v.Allocations, a)
			unit.details[sourceLine{l.File, l.Line}] = inline(l.Figures, maxText)
		}
	}
	all := present.Functions(v, p.Source)
	slices.SortStableFunc(all, func(x, y present.Function) int { return cmp.Compare(bytesOf(y), bytesOf(x)) })
	all = b.bounded(all)
	b.readSources(all)
	b.setAnchors(all)
	d := profileDocument{Profile: p, Heading: inline(p.Module, 200), Platform: inline(p.Platform, 200), Legend: legend}
	for i, f := range all {
		shown := b.function(i, f)
		shown.Open = i < opened
		d.Functions = append(d.Functions, shown)
	}
	rows := first(p.Lines, b.room(maxProfileLines))
	d.MoreRows = len(p.Lines) - len(rows)
	for _, l := range rows {
		d.Rows = append(d.Rows, b.profileRow(p, l))
	}
	frames := maxFrames / 4
	d.Flames = []profileFlame{b.profileFlame(p, p.Callers, "by-caller", "caller", frames),
		b.profileFlame(p, p.Reasons, "by-reason", "reason", frames)}
	d.LeftOut = b.LeftOut
	return d
}

func bytesOf(f present.Function) float64 { return f.Most().BytesPerOp }

// share returns which part of the profile's bytes a figure is, in words.
func (p *Profile) share(bytes float64) string {
	if bytes < 0 || p.Callers.Bytes <= 0 {
		return "–"
	}
	return present.Percent(bytes / p.Callers.Bytes)
}

// words writes figures in words, on one line.
func (p *Profile) words(objects, bytes float64) string {
	return inline(p.Figures(objects, bytes), maxText)
}

func (b *builder) profileRow(p *Profile, l ProfileLine) profileRow {
	at := sourceLine{l.File, l.Line}
	r := profileRow{Share: p.share(l.BytesPerOp), Bytes: p.Size(l.BytesPerOp),
		Tenths:  tenths(max(0, present.Part(l.BytesPerOp, p.Callers.Bytes))),
		Objects: p.Count(l.AllocsPerOp), BytesMargin: l.BytesMargin, ObjectsMargin: l.ObjectsMargin,
		Place: inline(fmt.Sprintf("%s:%d", l.File, l.Line), maxText), Func: inline(l.Func, maxText),
		Why: inline(l.Why, maxText)}
	if len(l.Callees) > 0 {
		r.Callees = inline(strings.Join(l.Callees, " → "), maxText)
	}
	lines := b.code[l.File]
	if l.Missing {
		lines = nil
	} else {
		r.ID = b.anchor(at)
	}
	if l.Line >= 1 && l.Line <= len(lines) {
		r.Code = template.HTML(strings.TrimLeft(string(lines[l.Line-1]), " \t"))
	} else {
		r.Code = template.HTML(escaped(present.Shorten(l.Code, maxColumns)))
	}
	if l.Kind != "" {
		rule := present.RuleOf(l.Kind)
		r.Rule = &rule
	}
	return r
}

// profileFlame returns the graphs of a tree, each with about that many frames.
func (b *builder) profileFlame(p *Profile, tree *Frame, class, by string, frames int) profileFlame {
	root, words := &node{}, map[*node]string{}
	b.node(root, tree, p, words)
	f := profileFlame{Class: class, By: by}
	for _, l := range []layout{
		{class: "by-bytes", unit: "bytes", weight: func(n *node) float64 { return n.BytesPerOp }},
		{class: "by-allocs", unit: p.Objects, weight: func(n *node) float64 { return n.AllocsPerOp }},
	} {
		l.frames = frames
		l.figures = func(n *node, share float64) string {
			text, known := words[n]
			if !known {
				text = p.words(n.AllocsPerOp, n.BytesPerOp)
			}
			return text + ", " + present.Percent(share) + " of the " + l.unit
		}
		f.Graphs = append(f.Graphs, l.draw(root))
	}
	room := maxBranches
	f.Branches = items(root, words, root.BytesPerOp*minBranch, &room).Children
	return f
}

// node makes the node of a frame. What the base of a profile has more cannot be drawn, so a node is as wide as its
// children at least; its words have its own figures.
func (b *builder) node(n *node, f *Frame, p *Profile, words map[*node]string) {
	n.label, n.title, n.group = inline(f.Label, maxTitle), inline(f.Title, maxTitle), f.Group
	if f.File != "" {
		n.id = b.anchor(sourceLine{f.File, f.Line})
	}
	words[n] = p.words(f.Objects, f.Bytes)
	sum := present.Figure{}
	for _, c := range f.Children {
		child := &node{}
		b.node(child, c, p, words)
		sum.Add(child.AllocsPerOp, child.BytesPerOp)
		n.children = append(n.children, child)
	}
	n.AllocsPerOp, n.BytesPerOp = math.Max(sum.AllocsPerOp, f.Objects), math.Max(sum.BytesPerOp, f.Bytes)
}

// items returns a tree as text, without branches of fewer bytes.
func items(n *node, words map[*node]string, least float64, room *int) treeItem {
	*room--
	t := treeItem{Label: n.label, Figures: words[n], ID: n.id}
	for _, c := range n.children {
		if c.BytesPerOp < least || *room <= 0 {
			t.More++
			continue
		}
		t.Children = append(t.Children, items(c, words, least, room))
	}
	return t
}
