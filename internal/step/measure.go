package step

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
	"onthestack/internal/programs"
	"onthestack/internal/verdict"
)

// A measurement is what the unchanged program allocated, by line.
type measurement struct {
	lines   []measuredLine
	sharing int    // tiny objects in the blocks of others, whose lines are not known
	missing string // why there is no measurement, "" if there is one
}

// pending stands for a measurement that is still to come.
var pending = &measurement{missing: "its allocations are still being counted"}

// A measuredLine is a line that allocated, with the sizes of its objects.
type measuredLine struct {
	Line
	sizes []sized
}

func (l *measuredLine) place() place { return place{file: l.File, line: l.Line.Line} }

// sized is a number of objects of one size, in bytes as the allocator rounds it up.
type sized struct{ size, count int }

// Bounds on a measurement: its stacks of calls, and the sizes of the objects of one line.
const (
	maxStacks = 4096
	maxSizes  = 64
)

const mainPackage = "main" // its import path in the names of functions

// measure runs the program without the recorder, under the harness that measures benchmarks. Its own lines stay as they
// are. Only the name of its main function changes, and calls of os.Exit go through the harness.
func (s Stepper) measure(
	ctx context.Context, plan programs.Plan, p *program, diagnostics []escape.Diagnostic,
) (*measurement, error) {
	src, err := s.measuredSource(plan, p)
	if err != nil {
		return nil, err
	}
	built, err := s.Compiler.Builder.Build(ctx, programs.WithStackLimit(src))
	if err != nil {
		return nil, fmt.Errorf("build the program to measure it: %w", err)
	}
	defer built.Close()
	if !built.OK {
		return &measurement{missing: "the program could not be built with the code that measures it"}, nil
	}
	run, err := s.Recorder.Record(ctx, built.Binary)
	if err != nil {
		return nil, fmt.Errorf("measure the program: %w", err)
	}
	var text []byte
	for _, piece := range run.Pieces {
		if piece.Kind == execution.Report {
			text = append(text, piece.Text...)
		}
	}
	report, err := wire.Parse(text)
	switch {
	case err != nil || len(text) > 0 && (!report.Done || len(report.Benchmarks) != 1):
		// The channel is the harness's, but a hostile program can reach it too.
		return &measurement{missing: "the program wrote to the channel on which it is measured"}, nil
	case len(text) == 0 && run.Stop.Kind != execution.NotStopped:
		return &measurement{missing: "the program " + run.Stop.String() + ", so its allocations were not counted"}, nil
	case len(text) == 0:
		return &measurement{missing: "the program ended before its allocations were counted"}, nil
	case len(report.Benchmarks[0].Stacks) > maxStacks:
		return &measurement{missing: "the program allocates in more ways than are counted"}, nil
	}
	return p.explain(&report, built, diagnostics), nil
}

// measuredSource returns the program with the harness.
func (s Stepper) measuredSource(plan programs.Plan, p *program) (execution.Source, error) {
	src, base, err := s.Compiler.WithHarness(plan.Source(), harness.ProgramPackages)
	if err != nil {
		return src, err
	}
	renamed := p.prefix + "main"
	for name, file := range p.parsed {
		var edits []harness.Edit
		insert := func(pos token.Pos, text string) {
			at := p.fset.PositionFor(pos, false).Offset
			edits = append(edits, harness.Edit{From: at, To: at, Text: text})
		}
		replace := func(n ast.Node, with string) {
			insert(n.Pos(), with+"/*")
			insert(n.End(), "*/")
		}
		exits := ""
		for n := range ast.Preorder(file) {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "main" {
					replace(n.Name, renamed)
				}
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Exit" {
					id, _ := sel.X.(*ast.Ident)
					if pkg, ok := p.info.Uses[id].(*types.PkgName); ok && pkg.Imported().Path() == "os" {
						replace(sel, p.prefix+"measure.Exit")
						exits = id.Name
					}
				}
			case *ast.Ident:
				if n.Name == "main" && p.info.Uses[n] != nil &&
					p.info.Uses[n].Parent() == p.info.Uses[n].Pkg().Scope() {
					replace(n, renamed)
				}
			}
		}
		if exits != "" {
			insert(file.Name.End(), fmt.Sprintf("; import %smeasure %q", p.prefix, base+"/testmain"))
			insert(file.FileEnd, "\nvar _ = "+exits+".Exit\n")
		}
		src.Files[name] = harness.Apply(p.files[name], edits)
	}
	if p.initializes {
		src.Files[firstFile] = fmt.Appendf(nil, "package main\n\nimport %smeasure %q\n\nvar _ = %[1]smeasure.Begin()\n",
			p.prefix, base+"/testmain")
	}
	name := "zzmain.go"
	for src.Files[name] != nil {
		name = "z" + name
	}
	src.Files[name] = fmt.Appendf(nil, "package main\n\nimport %q\n\nfunc main() { testmain.Once(%s) }\n",
		base+"/testmain", renamed)
	return src, nil
}

// explain joins the measurement with the compiler's diagnostics, as a verdict does.
func (p *program) explain(report *wire.Report, built *execution.Build, diagnostics []escape.Diagnostic) *measurement {
	sizes := p.keepOwn(&report.Benchmarks[0])
	v := verdict.UserPackage{
		ImportPath: mainPackage, Dir: mainPackage, Go: built.Go, GOOS: built.GOOS, GOARCH: built.GOARCH,
		Files: p.files, Built: true, Diagnostics: diagnostics,
		Runs: []verdict.Run{{TestRun: &execution.TestRun{}, Measured: *report}},
	}.Explain()
	m := &measurement{}
	for _, a := range v.Allocations {
		m.add(a)
	}
	for i := range m.lines {
		l := &m.lines[i]
		bySize := sizes[l.place()]
		if len(bySize) > maxSizes {
			return &measurement{missing: "a line allocates objects of more sizes than are counted"}
		}
		m.sharing += l.setSizes(bySize)
	}
	slices.SortFunc(m.lines, func(a, b measuredLine) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line.Line-b.Line.Line)
	})
	return m
}

// keepOwn removes from a measurement what the runtime and the harness allocate on no line of the program, and names
// functions and files as package verdict expects it. It returns how many objects each line allocates, by their size.
func (p *program) keepOwn(b *wire.Benchmark) map[place]map[int]int {
	inProgram := func(file string, line int) (string, bool) { return "", p.files[file] != nil }
	sizes := map[place]map[int]int{}
	var stacks []wire.Stack
	for _, s := range b.Stacks {
		for i := range s.Frames {
			f := &s.Frames[i]
			dir, file := path.Split(strings.ReplaceAll(f.File, `\`, "/"))
			f.Func = strings.Replace(f.Func, mainPackage+"."+p.prefix+"main", mainPackage+".main", 1)
			if dir == p.module+"/" && p.files[file] != nil {
				f.File = mainPackage + "/" + file
			} else {
				f.File = "/" + file
			}
		}
		lines := profile.Fold([]wire.Stack{s}, mainPackage, inProgram)
		if len(lines) == 0 {
			b.AllocsPerOp -= float64(s.Objects)
			b.BytesPerOp -= float64(s.Objects) * float64(s.Size)
			continue
		}
		stacks = append(stacks, s)
		at := place{file: lines[0].File, line: lines[0].Line}
		if sizes[at] == nil {
			sizes[at] = map[int]int{}
		}
		sizes[at][int(s.Size)] += int(s.Objects)
	}
	b.Stacks, b.AllocsPerOp, b.BytesPerOp = stacks, max(0, b.AllocsPerOp), max(0, b.BytesPerOp)
	return sizes
}

// add adds an allocation. A line has one for each function that it is part of; together they have the line's sizes.
func (m *measurement) add(a verdict.Allocation) {
	allocs, bytes := int(math.Round(a.AllocsPerOp)), int(math.Round(a.BytesPerOp))
	at := place{file: a.File, line: a.Line}
	i := slices.IndexFunc(m.lines, func(l measuredLine) bool { return l.place() == at })
	if i < 0 {
		m.lines = append(m.lines, measuredLine{Line: Line{a.File, a.Line, allocs, bytes, a.Why, a.Shared}})
		return
	}
	l := &m.lines[i]
	l.Allocs, l.Bytes, l.Shared = l.Allocs+allocs, l.Bytes+bytes, l.Shared || a.Shared
	if !strings.Contains(l.Reason, a.Why) {
		l.Reason += "; " + a.Why
	}
}

// setSizes sets the sizes of the line's objects. It returns how many of them are not recorded and may have been other
// lines'.
func (l *measuredLine) setSizes(bySize map[int]int) (sharing int) {
	total := 0
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		l.sizes = append(l.sizes, sized{size, bySize[size]})
		total += bySize[size]
	}
	// Tiny objects that share a block are counted, but not recorded.
	if l.Shared {
		return max(0, l.Allocs-total)
	}
	for j := range l.sizes {
		if l.sizes[j].size == profile.TinyBlock && l.Allocs > total {
			l.sizes[j].count += l.Allocs - total
		}
	}
	return 0
}
