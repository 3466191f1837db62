package main

import (
	"bytes"
	"go/ast"
	"io/fs"
)

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

const writeSegments = `const maxHead = 1 + 1 + 5 + 1 + 5
	size := 0
	for _, seg := range segments {
		size += maxHead + len(seg.data)
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
