package fix

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// A Source is a package as text.
type Source struct {
	ImportPath string
	GOARCH     string
	GoVersion  string            // the language version, "1.26"; "" for any
	Names      []string          // the base names of its files, including tests that are in the package itself
	Texts      map[string][]byte // by base name
	Fixed      []string          // files that no edit may change
	Excluded   [][]byte          // the text of files that build constraints exclude
	Importer   types.Importer    // called by one goroutine at a time
	Fset       *token.FileSet    // of the importer
	mu         *sync.Mutex       // over the importer
}

// A Program is a package that was type-checked.
type Program struct {
	Files  []*ast.File
	Types  *types.Package
	Info   *types.Info
	source Source
}

// Check parses and type-checks a package. The error is the first mistake in it.
func Check(s Source) (*Program, error) {
	if s.mu == nil {
		s.mu = new(sync.Mutex)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &Program{source: s, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}}
	for _, name := range s.Names {
		f, err := parser.ParseFile(s.Fset, name, s.Texts[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, f)
	}
	config := types.Config{Importer: s.Importer, Sizes: p.sizes(), FakeImportC: true}
	if s.GoVersion != "" {
		config.GoVersion = "go" + s.GoVersion
	}
	var err error
	p.Types, err = config.Check(s.ImportPath, s.Fset, p.Files, p.Info)
	return p, err
}

func (p *Program) sizes() types.Sizes {
	return cmp.Or(types.SizesFor("gc", p.source.GOARCH), types.SizesFor("gc", "amd64"))
}

// With type-checks the package with other text in some files, or with more files. The error is the first mistake in it.
func (p *Program) With(edited map[string][]byte) (*Program, error) {
	s := p.source
	s.Texts = maps.Clone(s.Texts)
	maps.Copy(s.Texts, edited)
	for name := range edited {
		if !slices.Contains(s.Names, name) {
			s.Names = append(slices.Clip(s.Names), name)
		}
	}
	return Check(s)
}

// Position returns the place of a position in its file, which has its base name, whatever //line directives say.
func (p *Program) Position(pos token.Pos) token.Position {
	return p.source.Fset.PositionFor(pos, false)
}

// Text returns the source of a node.
func (p *Program) Text(n ast.Node) string {
	f := p.source.Fset.File(n.Pos())
	return string(p.source.Texts[f.Name()][f.Offset(n.Pos()):f.Offset(n.End())])
}

// A Candidate is edits that belong together. Each of its files is changed in at least one place.
type Candidate struct {
	Rule    Rule
	Message string
	Edits   []Edit
	Places  []Place // the lines that it is about, the first one first
}

// A Place is a line.
type Place struct {
	File string
	Line int
}

// Candidates runs the rules. An analyzer that fails or panics proposes nothing.
func (p *Program) Candidates(ctx context.Context, objects Measured) []Candidate {
	var all []Candidate
	results := map[*analysis.Analyzer]any{}
	excluded := p.excludedNames()
	for _, rule := range rules {
		if ctx.Err() != nil {
			return nil
		}
		analyzer := rule.analyzer
		if analyzer == nil {
			analyzer = &analysis.Analyzer{Name: rule.ID, Requires: []*analysis.Analyzer{inspect.Analyzer},
				Run: func(pass *analysis.Pass) (any, error) {
					nodes := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
					rule.find(&search{pass, nodes, objects, maps.Clone(excluded)})
					return nil, nil
				}}
		}
		var found []analysis.Diagnostic
		if p.run(analyzer, results, func(d analysis.Diagnostic) { found = append(found, d) }) != nil {
			continue
		}
		for _, d := range found {
			if len(d.SuggestedFixes) == 0 {
				continue
			}
			if c, ok := p.candidate(rule, d); ok {
				all = append(all, c)
			}
		}
	}
	return all
}

// excludedNames returns the names in files of the package that build constraints exclude, as far as these parse.
func (p *Program) excludedNames() map[string]bool {
	names := map[string]bool{}
	for _, text := range p.source.Excluded {
		file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if file != nil && file.Name.Name == p.Types.Name() {
			addNames(names, file)
		}
	}
	return names
}

// run runs an analyzer after the analyzers that it requires.
func (p *Program) run(a *analysis.Analyzer, results map[*analysis.Analyzer]any, report func(analysis.Diagnostic)) (
	err error) {
	if _, done := results[a]; done {
		return nil
	}
	for _, required := range a.Requires {
		if err := p.run(required, results, func(analysis.Diagnostic) {}); err != nil {
			return err
		}
	}
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("analyzer %s: %v", a.Name, why)
		}
	}()
	pass := &analysis.Pass{
		Analyzer: a, Fset: p.source.Fset, Files: p.Files, Pkg: p.Types, TypesInfo: p.Info, TypesSizes: p.sizes(),
		ResultOf: results, Report: report,
		ReadFile: func(name string) ([]byte, error) {
			if text, ok := p.source.Texts[name]; ok {
				return text, nil
			}
			return nil, fmt.Errorf("no file %s in %s", name, p.source.ImportPath)
		},
	}
	result, err := a.Run(pass)
	if err != nil {
		return err
	}
	results[a] = result
	return nil
}

// candidate converts a diagnostic. It returns false if an edit is in a test, in a generated file, or in a file that
// must not change.
func (p *Program) candidate(rule Rule, d analysis.Diagnostic) (Candidate, bool) {
	c := Candidate{Rule: rule, Message: d.Message}
	place := func(pos token.Pos) {
		at := p.Position(pos)
		if l := (Place{at.Filename, at.Line}); pos.IsValid() && !slices.Contains(c.Places, l) {
			c.Places = append(c.Places, l)
		}
	}
	place(d.Pos)
	for _, e := range d.SuggestedFixes[0].TextEdits {
		file := p.source.Fset.File(e.Pos)
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		if file == nil || !p.editable(file) {
			return c, false
		}
		c.Edits = append(c.Edits, Edit{File: file.Name(), Start: file.Offset(e.Pos), End: file.Offset(end),
			Text: string(e.NewText)})
		if e.Pos != end {
			from, to := file.PositionFor(e.Pos, false).Line, file.PositionFor(end, false).Line
			for line := from; line <= to; line++ {
				place(file.LineStart(line))
			}
		}
	}
	for _, r := range d.Related {
		place(r.Pos)
	}
	if d.End.IsValid() {
		place(d.End - 1)
	}
	return c, len(c.Edits) > 0
}

// editable reports whether a file may be edited.
func (p *Program) editable(file *token.File) bool {
	name := file.Name()
	if strings.HasSuffix(name, "_test.go") || filepath.Base(name) != name || slices.Contains(p.source.Fixed, name) {
		return false
	}
	for _, f := range p.Files {
		if f.FileStart == token.Pos(file.Base()) {
			return !ast.IsGenerated(f)
		}
	}
	return false
}
