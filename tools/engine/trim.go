package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// The compiler and the linker of the distribution contain the back ends of all architectures, and a page needs only
// one. This file finds the code to omit in the sources of the installed release when the engine is built, and gives the
// go command an overlay with the trimmed files. It depends on a release only by the names of a few declarations. If one
// of them does not exist, the tool is built untrimmed.
//
// The output of the tools for wasm does not change: trimming removes only cases and table entries of other
// architectures, and the linker's changed statements write the same bytes in less time.

// arch is the architecture that is kept.
const arch = "wasm"

// trimLinker leaves out of cmd/link the other architectures' back ends, among which its main function chooses. It also
// makes the linker allocate slices for its output at their final size: in a page the linker runs without garbage
// collection, so each array that a growing slice leaves behind would stay in memory. The other edits replace statements
// that run for each symbol, function or byte of a program, and take a sixth of the linker's time.
func trimLinker(src fs.FS) (overlay, error) {
	main, err := readSource(src, "cmd/link/main.go")
	if err != nil {
		return nil, err
	}
	if err := main.keepCase("main"); err != nil {
		return nil, err
	}
	o := overlay{main.name: main.result()}
	for _, c := range []struct {
		name  string
		edits []edit
	}{
		{"cmd/internal/bio/buf.go", []edit{
			{"Reader", "Slice", "return data, false, nil", sliceReadOnly, false},
		}},
		{"cmd/link/internal/ld/outbuf.go", []edit{
			{"OutBuf", "writeLoc", "out.heap = append(out.heap, make([]byte, lenNeeded-heapLen)...)", growOutput, true},
		}},
		{"cmd/link/internal/ld/pcln.go", []edit{
			{"Link", "findfunctab", "t.SetUint8(ctxt.Arch, int64(i)*(4+SUBBUCKETS)+4+int64(j), uint8(idx-base))",
				setSubbucket, false},
		}},
		{"cmd/link/internal/wasm/asm.go", []edit{
			{"", "asmb2", `if ldr.SymName(fn) == "go:buildid"`, growFunction, true},
			{"", "asmb2", `name := nameRegexp.ReplaceAllString(ldr.SymName(fn), "_")`, nameFunction, false},
			{"", "writeDataSec", writeSegment, writeSegments, false},
		}},
	} {
		file, err := readSource(src, c.name)
		if err != nil {
			return nil, err
		}
		for _, e := range c.edits {
			if err := file.edit(e); err != nil {
				return nil, err
			}
		}
		o[file.name] = file.result()
	}
	return o, nil
}

// sliceReadOnly reports an object file in memory as read-only, as one mapped from a file is; js cannot map files. The
// linker then uses the file's strings in place instead of copying each name.
const sliceReadOnly = "return data, true, nil"

// growOutput allocates the output of a program of the workbook at once. Test binaries are smaller than 4 MiB.
const growOutput = `if lenNeeded > int64(cap(out.heap)) {
	heap := make([]byte, heapLen, max(lenNeeded, 2*int64(cap(out.heap)), 4<<20))
	copy(heap, out.heap)
	out.heap = heap
}
`

// setSubbucket sets a byte of the table in which the runtime finds a function by its address. Under wasm, addresses of
// functions are far apart, so the table has a million bytes. The symbol has its final size by then.
const setSubbucket = "t.Data()[int64(i)*(4+SUBBUCKETS)+4+int64(j)] = uint8(idx-base)"

// growFunction allocates a function's code at once. Each relocation in it becomes a number of at most five bytes.
const growFunction = `relocated := ldr.Relocs(fn)
wfn.Grow(len(ldr.Data(fn)) + 5*relocated.Count() + 16)
`

// nameFunction matches a function's name with a regular expression only if the program is to have a section of names.
const nameFunction = `name := ldr.SymName(fn)
if !*ld.FlagS {
	name = nameRegexp.ReplaceAllString(name, "_")
}`

// writeSegment is the loop that writes a program's data, byte by byte, through an OutBuf. The table of setSubbucket
// makes tens of thousands of segments. writeSegments writes all of them at once: an offset is a signed LEB128 number, a
// length an unsigned one.
const writeSegment = `for _, seg := range segments {
		writeUleb128(ctxt.Out, 0) // memidx
		writeI32Const(ctxt.Out, seg.offset)
		ctxt.Out.WriteByte(0x0b) // end
		writeUleb128(ctxt.Out, uint64(len(seg.data)))
		ctxt.Out.Write(seg.data)
	}`

const writeSegments = `const mostHead = 1 + 1 + 5 + 1 + 5
	size := 0
	for _, seg := range segments {
		size += mostHead + len(seg.data)
	}
	all := make([]byte, 0, size)
	for _, seg := range segments {
		all = append(all, 0, 0x41)
		offset := seg.offset
		for ; offset < -64 || offset > 63; offset >>= 7 {
			all = append(all, byte(offset)|0x80)
		}
		all = append(all, byte(offset)&0x7f, 0x0b)
		length := len(seg.data)
		for ; length > 127; length >>= 7 {
			all = append(all, byte(length)|0x80)
		}
		all = append(append(all, byte(length)), seg.data...)
	}
	ctxt.Out.Write(all)`

// An edit changes a function, or a method of a pointer to a type: it puts text before the only statement that begins
// with the given words, or in its place.
type edit struct {
	receiver, function string
	words, text        string
	before             bool
}

func (s *source) edit(e edit) error {
	body := s.method(e.receiver, e.function)
	if body == nil {
		return s.problem("there is no function %s", e.function)
	}
	var found []ast.Stmt
	ast.Inspect(body, func(n ast.Node) bool {
		if stmt, ok := n.(ast.Stmt); ok && bytes.HasPrefix(s.text[s.offset(stmt.Pos()):], []byte(e.words)) {
			found = append(found, stmt)
		}
		return true
	})
	if len(found) != 1 {
		return s.problem("func %s has %d statements %s", e.function, len(found), e.words)
	}
	end := found[0].End()
	switch {
	case e.before:
		end = found[0].Pos()
	case s.offset(end) != s.offset(found[0].Pos())+len(e.words):
		return s.problem("func %s has another statement %s", e.function, e.words)
	}
	s.cut(found[0].Pos(), end, e.text)
	return nil
}

// trimCompiler leaves out of cmd/compile the other architectures' back ends: those in a table of its main package,
// their rewrite rules, which are most of its code, their operations and registers, and their vector instructions.
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

// body returns the body of a function.
func (s *source) body(function string) *ast.BlockStmt { return s.method("", function) }

// method returns the body of a method of a pointer to a type, and of a function if the type's name is empty.
func (s *source) method(receiver, name string) *ast.BlockStmt {
	return declared(s, func(decl ast.Decl) *ast.BlockStmt {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != name || receiverOf(f) != receiver {
			return nil
		}
		return f.Body
	})
}

func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
		if name, ok := star.X.(*ast.Ident); ok {
			return name.Name
		}
	}
	return "?"
}

// dropExperiment removes from a function the code for an experiment. That of SIMD, which wasm does not have, is a tenth
// of the compiler.
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

// keepCase removes, from the switch over architectures in a function, the cases of all but one.
func (s *source) keepCase(function string) error {
	body := s.body(function)
	if body == nil {
		return s.problem("there is no function %s", function)
	}
	for _, stmt := range body.List {
		choice, ok := stmt.(*ast.SwitchStmt)
		if !ok {
			continue
		}
		wanted := func(i int) bool {
			list := choice.Body.List[i].(*ast.CaseClause).List
			return len(list) == 0 || isString(list[0], arch)
		}
		found := 0
		for i := range choice.Body.List {
			if wanted(i) {
				found++
			}
		}
		if found == 2 {
			cutNodes(s, choice.Body.List, choice.Body.Rbrace, "", wanted)
			return nil
		}
	}
	return s.problem("func %s has no switch with a case %q and a default", function, arch)
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
		return ok && isString(entry.Key, arch)
	}
	for i := range table.Elts {
		found = found || wanted(i)
	}
	if !found {
		return s.problem("%s has no entry %q", variable, arch)
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

func isString(e ast.Expr, want string) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && lit.Value == strconv.Quote(want)
}
