package main

import (
	"go/ast"
	"go/token"
	"io/fs"
)

// trimCompiler leaves out of cmd/compile the other architectures' back ends: their entries in a table of its main
// package, and the cases that name their rewrite rules, which are most of the compiler's code: the go command's linker
// leaves out what nothing names. Their vector instructions have a function of their own.
func trimCompiler(src fs.FS) (overlay, error) {
	main, err := readSource(src, "cmd/compile/main.go")
	if err != nil {
		return nil, err
	}
	if err := main.keepEntry("archInits"); err != nil {
		return nil, err
	}
	config, err := readSource(src, "cmd/compile/internal/ssa/config.go")
	if err != nil {
		return nil, err
	}
	if err := config.keepCase("NewConfig"); err != nil {
		return nil, err
	}
	intrinsics, err := readSource(src, "cmd/compile/internal/ssagen/intrinsics.go")
	if err != nil {
		return nil, err
	}
	if err := intrinsics.dropExperiment("initIntrinsics", "SIMD"); err != nil {
		return nil, err
	}
	return overlay{main.name: main.result(), config.name: config.result(), intrinsics.name: intrinsics.result()}, nil
}

// dropExperiment removes from a function the code for an experiment. The code for SIMD, which wasm does not have, is a
// tenth of the compiler.
func (s *source) dropExperiment(function, experiment string) error {
	body := s.method("", function)
	if body == nil {
		return s.problem("there is no function %s", function)
	}
	for _, stmt := range body.List {
		if choice, ok := stmt.(*ast.IfStmt); ok && choice.Init == nil && choice.Else == nil {
			if on, ok := choice.Cond.(*ast.SelectorExpr); ok && on.Sel.Name == experiment {
				s.cut(choice.Pos(), choice.End(), "")
				return nil
			}
		}
	}
	return s.problem("func %s does not ask for the experiment %s", function, experiment)
}

// keepEntry removes, from a map by architecture, the entries of all but one.
func (s *source) keepEntry(variable string) error {
	table := s.table(variable)
	if table == nil {
		return s.problem("there is no table %s", variable)
	}
	found := false
	wanted := func(i int) bool {
		entry, ok := table.Elts[i].(*ast.KeyValueExpr)
		return ok && isString(entry.Key, goarch)
	}
	for i := range table.Elts {
		found = found || wanted(i)
	}
	if !found {
		return s.problem("%s has no entry %q", variable, goarch)
	}
	cutNodes(s, table.Elts, table.Rbrace, wanted)
	return nil
}

// table returns the composite literal that is a variable's value.
func (s *source) table(variable string) *ast.CompositeLit {
	return declared(s, func(decl ast.Decl) *ast.CompositeLit {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			return nil
		}
		for _, spec := range d.Specs {
			if v := spec.(*ast.ValueSpec); len(v.Names) == 1 && v.Names[0].Name == variable && len(v.Values) == 1 {
				table, _ := v.Values[0].(*ast.CompositeLit)
				return table
			}
		}
		return nil
	})
}
