package present

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// A Line is a source line that allocates.
type Line struct {
	File   string
	Number int
	Code   string // text of the line, trimmed
	// Allocations are the allocations of the line in the order of the verdict. They are empty if nothing was measured,
	// and the compiler alone announces a value on the heap.
	Allocations []verdict.Allocation
	Reasons     []verdict.Reason // the compiler's
}

// A Note is one reason why a line allocates, with the figures of the allocations for that reason.
type Note struct {
	Rule    Rule
	Why     string     // clauses joined by "; "
	Callees [][]string // chains of calls from the line to the allocation, outermost first
	Shared  bool       // as in verdict.Allocation
	Figures []Figure   // by benchmark; empty where nothing was measured
}

// Figures returns what the line allocates in each benchmark.
func (l Line) Figures() []Figure { return figures(nil, l.Allocations...) }

// Most returns the figure of the benchmark in which the line allocates most often.
func (l Line) Most() Figure { return most(l.Figures()) }

// Notes returns the reasons why the line allocates. There is at least one.
func (l Line) Notes() []Note {
	if len(l.Allocations) == 0 {
		var kind why.Kind
		var clauses []string
		for _, r := range l.Reasons {
			kind = cmp.Or(kind, r.Kind)
			if !slices.Contains(clauses, r.Why) {
				clauses = append(clauses, r.Why)
			}
		}
		return []Note{{Rule: RuleOf(kind), Why: strings.Join(clauses, "; ")}}
	}
	var notes []Note
	for _, a := range l.Allocations {
		i := slices.IndexFunc(notes, func(n Note) bool { return n.Why == a.Why })
		if i < 0 {
			i = len(notes)
			notes = append(notes, Note{Rule: RuleOf(a.Kind), Why: a.Why})
		}
		n := &notes[i]
		n.Figures, n.Shared = figures(n.Figures, a), n.Shared || a.Shared
		if len(a.Callees) > 0 && !slices.ContainsFunc(n.Callees,
			func(c []string) bool { return slices.Equal(c, a.Callees) }) {
			n.Callees = append(n.Callees, a.Callees)
		}
	}
	return notes
}

// Steps returns the steps by which the line's values get to the heap: the steps of all reasons, without duplicates.
func (l Line) Steps() []escape.Step {
	seen := map[escape.Step]bool{}
	var steps []escape.Step
	for _, r := range l.Reasons {
		for _, s := range r.Flow {
			if k := (escape.Step{File: s.File, Line: s.Line, Message: s.Message}); !seen[k] {
				seen[k] = true
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// Column returns the column of the first value that the compiler announces on the line, in bytes from 1, or 0 if it
// announces none.
func (l Line) Column() int {
	for _, r := range l.Reasons {
		if r.Line == l.Number && r.Col > 0 {
			return r.Col
		}
	}
	return 0
}

// Inside is Functions for the lines of other packages. The names of files, for source too, begin with the import path
// of their package.
func Inside(v *verdict.Verdict, source Source) []Function {
	inside := verdict.Verdict{Benchmarks: v.Benchmarks, Allocations: slices.Clone(v.Inside)}
	for i := range inside.Allocations {
		a := &inside.Allocations[i]
		a.File = path.Join(a.Package, a.File)
		a.Reasons = slices.Clone(a.Reasons)
		for j := range a.Reasons {
			flow := slices.Clone(a.Reasons[j].Flow)
			for k, step := range flow {
				// Files of other packages have a folder already.
				if step.File != "" && !strings.Contains(step.File, "/") {
					flow[k].File = path.Join(a.Package, step.File)
				}
			}
			a.Reasons[j].Flow = flow
		}
	}
	return Functions(&inside, source)
}

// FileName returns the name of a file for the reader. The file may have the import path of its package before its name;
// then the path of the module is left out, and the package at the root of the module goes by its name.
func FileName(v *verdict.Verdict, module, file string) string {
	importPath, name := path.Split(file)
	importPath = strings.TrimSuffix(importPath, "/")
	if root := v.Names[module]; importPath == module && root != "" {
		importPath = root
	} else {
		importPath = strings.TrimPrefix(importPath, module+"/")
	}
	return path.Join(importPath, name)
}

// declarations returns the top-level declarations of a file in source order. No line belongs to two of them. If the
// file has syntax errors, it returns the declarations that can be parsed.
func declarations(file string, text []byte) []*Function {
	if len(text) == 0 {
		return nil
	}
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if parsed == nil {
		return nil
	}
	// Count physical lines, as the compiler's positions do unless a //line directive moves them.
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	var found []*Function
	last := 0
	for _, d := range parsed.Decls {
		f := &Function{File: file, First: line(d.Pos()), Begin: line(d.Pos()), Last: line(d.End())}
		var comment *ast.CommentGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			// Readers know a generic type without its parameters: "(*Set).Len".
			f.Name, comment = strings.ReplaceAll(why.FuncName(d), "[...]", ""), d.Doc
		case *ast.GenDecl:
			if d.Tok == token.IMPORT || len(d.Specs) == 0 {
				continue
			}
			f.Name, comment = d.Tok.String(), d.Doc
			switch spec := d.Specs[0].(type) {
			case *ast.ValueSpec:
				f.Name += " " + spec.Names[0].Name
			case *ast.TypeSpec:
				f.Name += " " + spec.Name.Name
			}
		default:
			continue
		}
		if comment != nil {
			f.First = line(comment.Pos())
		}
		if f.First = max(f.First, last+1); f.Last >= f.First {
			found, last = append(found, f), f.Last
		}
	}
	return found
}
