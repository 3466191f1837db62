package main

// trimmedCompiler leaves out of cmd/compile the other architectures' back ends: their entries in a table of its main
// package, and the cases that name their rewrite rules, which are most of the compiler's code: the go command's linker
// leaves out what nothing names. The code for SIMD, which wasm does not have, is a tenth of the compiler.
var trimmedCompiler = map[string][]edit{
	"cmd/compile/main.go":                       {keepArchitecture("var archInits = ")},
	"cmd/compile/internal/ssa/config.go":        {keepArchitecture("\tswitch arch {")},
	"cmd/compile/internal/ssagen/intrinsics.go": {dropIf("buildcfg.Experiment.SIMD")},
}

// trimmedLinker leaves out of cmd/link the other architectures' back ends, among which its main function chooses. It
// also makes the linker allocate slices for its output at their final size: in a page the linker runs without garbage
// collection, so each array that a growing slice leaves behind would stay in memory. The other edits replace statements
// that run for each symbol, function or byte of a program, and take a sixth of the linker's time.
var trimmedLinker = map[string][]edit{
	"cmd/link/main.go":        {keepArchitecture("\tswitch buildcfg.GOARCH {")},
	"cmd/internal/bio/buf.go": {replace("return data, false, nil\n", sliceReadOnly)},
	"cmd/link/internal/ld/outbuf.go": {
		replace("out.heap = append(out.heap, make([]byte, lenNeeded-heapLen)...)\n", growOutput),
	},
	"cmd/link/internal/ld/pcln.go": {
		replace("t.SetUint8(ctxt.Arch, int64(i)*(4+SUBBUCKETS)+4+int64(j), uint8(idx-base))\n", setSubbucket),
	},
	"cmd/link/internal/wasm/asm.go": {
		replace("if ldr.SymName(fn) == \"go:buildid\" {\n", growFunction),
		replace("name := nameRegexp.ReplaceAllString(ldr.SymName(fn), \"_\")\n", nameFunction),
		replace(writeSegment, writeSegments),
	},
}

// sliceReadOnly reports an object file in memory as read-only, as one mapped from a file is; js cannot map files. The
// linker then uses the file's strings in place instead of copying each name.
const sliceReadOnly = "return data, true, nil\n"

// growOutput allocates the output of a program of the workbook at once. Test binaries are smaller than 4 MiB.
const growOutput = `if lenNeeded > int64(cap(out.heap)) {
	heap := make([]byte, heapLen, max(lenNeeded, 2*int64(cap(out.heap)), 4<<20))
	copy(heap, out.heap)
	out.heap = heap
}
out.heap = append(out.heap, make([]byte, lenNeeded-heapLen)...)
`

// setSubbucket sets a byte of the table in which the runtime finds a function by its address. Under wasm, addresses of
// functions are far apart, so the table has a million bytes. The symbol has its final size by then.
const setSubbucket = "t.Data()[int64(i)*(4+SUBBUCKETS)+4+int64(j)] = uint8(idx-base)\n"

// growFunction allocates a function's code at once. Each relocation in it becomes a number of at most five bytes.
const growFunction = `relocated := ldr.Relocs(fn)
wfn.Grow(len(ldr.Data(fn)) + 5*relocated.Count() + 16)
if ldr.SymName(fn) == "go:buildid" {
`

// nameFunction matches a function's name with a regular expression only if the program is to have a section of names.
const nameFunction = `name := ldr.SymName(fn)
if !*ld.FlagS {
	name = nameRegexp.ReplaceAllString(name, "_")
}
`

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
