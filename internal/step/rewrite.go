package step

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/harness"
	"onthestack/internal/why"
)

func (p *program) insert(pos token.Pos, format string, args ...any) {
	at := p.fset.PositionFor(pos, false)
	edit := harness.Edit{From: at.Offset, To: at.Offset, Text: fmt.Sprintf(format, args...)}
	p.edits[at.Filename] = append(p.edits[at.Filename], edit)
}

// rewrite returns the files of the package with calls of the recorder in them, which is imported from below the import
// path base. Nothing moves to another line.
func (p *program) rewrite(base string) map[string][]byte {
	names := slices.Sorted(maps.Keys(p.parsed))
	variables := &rewriter{program: p, function: -1, ids: p.ids}
	for _, name := range names {
		for _, d := range p.parsed[name].Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
				p.globals = append(p.globals, variables.declared(d, global)...)
			}
		}
	}
	rewritten := map[string][]byte{}
	if p.initializes {
		rewritten[firstFile] = p.initialize(base)
	}
	inits := 0
	for _, name := range names {
		file := p.parsed[name]
		p.insert(file.Name.End(), "; import %s %q", p.recorder(), base+"/recorder")
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				r := &rewriter{program: p, function: -1}
				r.literals(d, d.End())
				for _, init := range initializers(d) {
					p.closeInitializer(init.value, len(init.names))
				}
			case *ast.FuncDecl:
				if d.Body == nil {
					continue
				}
				before := ""
				if d.Recv == nil && d.Name.Name == "main" && !p.initializes {
					before = fmt.Sprintf("%s.Main(%s); ", p.recorder(), strings.Join(p.pointers(), ", "))
				}
				name := why.FuncName(d)
				if isInit(d) {
					name += fmt.Sprintf(".%d", inits) // as the runtime names it
					inits++
				}
				r := p.newFunction(function{name: name, place: p.place(d.Name.Pos())})
				r.body(d.Recv, d.Type, d.Body, d.Pos(), before)
			}
		}
		// The import is used even in a file without functions.
		used := p.recorder() + ".Frame"
		if p.finalizers {
			used = "= " + p.recorder() + ".Finalizers()"
		}
		p.insert(file.FileEnd, "\nvar _ %s\n", used)
	}
	for name, text := range p.files {
		rewritten[name] = harness.Apply(text, p.edits[name])
	}
	return rewritten
}

func (p *program) recorder() string { return p.prefix + "step" }
func (p *program) frame() string    { return p.prefix + "frame" }
func (p *program) result(i int) string {
	return fmt.Sprintf("%sresult%d", p.prefix, i)
}
