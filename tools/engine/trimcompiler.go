package main

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// trimCompiler leaves out of cmd/compile the other architectures' back ends: their entries in a table of its main
// package, their rewrite rules, which are most of its code, their operations and registers, and their vector
// instructions.
func trimCompiler(src fs.FS) (overlay, error) {
	main, err := readSource(src, "cmd/compile/main.go")
	if err != nil {
		return nil, err
	}
	if err := main.keepEntry("archInits"); err != nil {
		return nil, err
	}

	const ssa = "cmd/compile/internal/ssa/"
	config, err := readSource(src, ssa+"config.go")
	if err != nil {
		return nil, err
	}
	if err := config.keepCase("NewConfig"); err != nil {
		return nil, err
	}
	// Declarations that are named only in the cases of other architectures belong to those architectures.
	theirs, used := config.names(false), config.names(true)
	for name := range theirs {
		if used[name] {
			delete(theirs, name)
		}
	}
	o := overlay{main.name: main.result(), config.name: config.result()}

	rules, err := fs.Glob(src, ssa+"rewrite*.go")
	if err != nil {
		return nil, err
	}
	var others []string // architectures, as names of operations have them: "AMD64"
	for _, name := range rules {
		rule, err := readSource(src, name)
		if err != nil {
			return nil, err
		}
		if !rule.rulesOf(theirs) {
			continue
		}
		o[name] = nil
		others = append(others, strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "rewrite"), ".go"))
	}
	if len(others) == 0 {
		return nil, config.problem("there are no rewrite rules of the other architectures in files of their own")
	}

	ops, err := readSource(src, ssa+"opGen.go")
	if err != nil {
		return nil, err
	}
	if err := ops.keepOps(others, theirs); err != nil {
		return nil, err
	}
	o[ops.name] = ops.result()

	intrinsics, err := readSource(src, "cmd/compile/internal/ssagen/intrinsics.go")
	if err != nil {
		return nil, err
	}
	if err := intrinsics.dropExperiment("initIntrinsics", "SIMD"); err != nil {
		return nil, err
	}
	o[intrinsics.name] = intrinsics.result()
	return o, nil
}

// dropExperiment removes from a function the code for an experiment. The code for SIMD, which wasm does not have, is a
// tenth of the compiler.
func (s *source) dropExperiment(function, experiment string) error {
	body := s.body(function)
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
	cutNodes(s, table.Elts, table.Rbrace, "", wanted)
	return nil
}

// rulesOf reports whether a file has the rewrite rules of other architectures and nothing else.
func (s *source) rulesOf(theirs map[string]bool) bool {
	some := false
	for _, decl := range s.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if !strings.HasPrefix(d.Name.Name, "rewriteValue") && !strings.HasPrefix(d.Name.Name, "rewriteBlock") {
				return false
			}
			some = some || theirs[d.Name.Name]
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				return false
			}
		}
	}
	return some
}

// keepOps empties the entries of other architectures in the table of operations, so that the indexes of the others do
// not change, and removes their variables, which are registers.
func (s *source) keepOps(others []string, theirs map[string]bool) error {
	table, ops := s.table("opcodeTable"), s.constants("Op")
	if table == nil || len(ops) != len(table.Elts) {
		return s.problem("opcodeTable has not an entry for each constant of type Op")
	}
	emptied := 0
	cutNodes(s, table.Elts, table.Rbrace, "{},\n", func(i int) bool {
		name := entryName(table.Elts[i])
		for _, other := range others {
			if ops[i] == "Op"+other+name {
				emptied++
				return false
			}
		}
		return true
	})
	if emptied == 0 {
		return s.problem("opcodeTable has no entries of other architectures")
	}
	for _, decl := range s.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR || len(d.Specs) != 1 {
			continue
		}
		if spec := d.Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 && theirs[spec.Names[0].Name] {
			s.cut(d.Pos(), d.End(), "")
		}
	}
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

// constants returns the names of a type's enumeration, from 0.
func (s *source) constants(of string) []string {
	names := declared(s, func(decl ast.Decl) *[]string {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			return nil
		}
		first := d.Specs[0].(*ast.ValueSpec)
		kind, ok := first.Type.(*ast.Ident)
		if !ok || kind.Name != of || len(first.Values) != 1 {
			return nil
		}
		if iota, ok := first.Values[0].(*ast.Ident); !ok || iota.Name != "iota" {
			return nil
		}
		names := make([]string, len(d.Specs))
		for i, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Names) != 1 || i > 0 && len(v.Values) > 0 {
				return nil
			}
			names[i] = v.Names[0].Name
		}
		return &names
	})
	if names == nil {
		return nil
	}
	return *names
}

// entryName returns the name in an entry of the table of operations, "" if it has none.
func entryName(entry ast.Expr) string {
	lit, ok := entry.(*ast.CompositeLit)
	if !ok {
		return ""
	}
	for _, elt := range lit.Elts {
		field, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isName := field.Key.(*ast.Ident)
		value, isLit := field.Value.(*ast.BasicLit)
		if isName && isLit && key.Name == "name" {
			name, _ := strconv.Unquote(value.Value)
			return name
		}
	}
	return ""
}
