package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// distribution is a small Go distribution whose compiler and linker have two architectures.
var distribution = map[string]string{
	"cmd/link/internal/ld/outbuf.go": `package ld

func (out *OutBuf) writeLoc(lenNeeded int64) {
	heapLen := int64(len(out.heap))
	if lenNeeded > heapLen {
		out.heap = append(out.heap, make([]byte, lenNeeded-heapLen)...)
	}
}
`,
	"cmd/internal/bio/buf.go": `package bio

func (r *Reader) Slice(length uint64) ([]byte, bool, error) {
	if data, ok := r.sliceOS(length); ok {
		return data, true, nil
	}
	return data, false, nil
}
`,
	"cmd/link/internal/ld/pcln.go": `package ld

func (ctxt *Link) findfunctab(state *pclntab) {
	writeFindFuncTab := func(_ *Link, s loader.Sym) {
		for i := int32(0); i < nbuckets; i++ {
			t.SetUint8(ctxt.Arch, int64(i)*(4+SUBBUCKETS)+4+int64(j), uint8(idx-base))
		}
	}
}
`,
	"cmd/link/internal/wasm/asm.go": `package wasm

func asmb2() {
	for _, fn := range ctxt.Textp {
		wfn := new(bytes.Buffer)
		if ldr.SymName(fn) == "go:buildid" {
			writeUleb128(wfn, 0)
		}
		name := nameRegexp.ReplaceAllString(ldr.SymName(fn), "_")
	}
}

func writeDataSec() {
	` + writeSegment + `
}
`,
	"cmd/link/main.go": `package main

import (
	"cmd/link/internal/wasm"
	"cmd/link/internal/x86"
	"os"
)

func main() {
	switch buildcfg.GOARCH {
	default:
		os.Exit(2)
	case "386":
		x86.Init()
	case "wasm":
		wasm.Init()
	}
}
`,
	"cmd/compile/main.go": `package main

import (
	"cmd/compile/internal/wasm"
	"cmd/compile/internal/x86"
)

var archInits = map[string]func(){
	"386":  x86.Init,
	"wasm": wasm.Init,
}
`,
	"cmd/compile/internal/ssa/config.go": `package ssa

func NewConfig(arch string) {
	c.first = rewriteFirst
	switch arch {
	case "386":
		c.lower = rewriteValue386
		c.shared = shared
		c.registers = registers386
	case "wasm":
		c.lower = rewriteValueWasm
		c.shared = shared
		c.registers = registersWasm
	default:
		panic(arch)
	}
}
`,
	"cmd/compile/internal/ssagen/intrinsics.go": `package ssagen

func initIntrinsics() {
	if buildcfg.GOARCH != "" {
		add(1)
	}
	if buildcfg.Experiment.SIMD {
		simdIntrinsics(add)
	}
}
`,
}

func laid(changes ...string) fs.FS {
	src := fstest.MapFS{}
	for name, text := range distribution {
		for i := 0; i < len(changes); i += 2 {
			text = strings.ReplaceAll(text, changes[i], changes[i+1])
		}
		src[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return src
}

func TestTrim(t *testing.T) {
	compiler, err := trim(laid(), trimmedCompiler)
	if err != nil {
		t.Fatal(err)
	}
	linker, err := trim(laid(), trimmedLinker)
	if err != nil {
		t.Fatal(err)
	}
	const ssa = "cmd/compile/internal/ssa/"
	if len(compiler) != 3 || len(linker) != 5 {
		t.Errorf("%d files of the compiler and %d of the linker are replaced", len(compiler), len(linker))
	}
	for name, want := range map[string]string{
		"cmd/compile/main.go": strings.NewReplacer("\t\"cmd/compile/internal/x86\"\n", "", "\t\"386\":  x86.Init,\n",
			"").
			Replace(distribution["cmd/compile/main.go"]),
		ssa + "config.go": strings.Replace(distribution[ssa+"config.go"],
			"\tcase \"386\":\n\t\tc.lower = rewriteValue386\n\t\tc.shared = shared\n\t\tc.registers = registers386\n",
			"", 1),
		"cmd/compile/internal/ssagen/intrinsics.go": strings.Replace(
			distribution["cmd/compile/internal/ssagen/intrinsics.go"],
			"\tif buildcfg.Experiment.SIMD {\n\t\tsimdIntrinsics(add)\n\t}\n", "", 1),
		"cmd/link/internal/ld/outbuf.go": strings.Replace(distribution["cmd/link/internal/ld/outbuf.go"],
			"out.heap = append(out.heap, make([]byte, lenNeeded-heapLen)...)\n", growOutput, 1),
		"cmd/internal/bio/buf.go": strings.Replace(distribution["cmd/internal/bio/buf.go"], "return data, false, nil\n",
			sliceReadOnly, 1),
		"cmd/link/internal/ld/pcln.go": strings.Replace(distribution["cmd/link/internal/ld/pcln.go"],
			"t.SetUint8(ctxt.Arch, int64(i)*(4+SUBBUCKETS)+4+int64(j), uint8(idx-base))\n", setSubbucket, 1),
		"cmd/link/internal/wasm/asm.go": strings.NewReplacer("if ldr.SymName(fn) == \"go:buildid\" {\n", growFunction,
			`name := nameRegexp.ReplaceAllString(ldr.SymName(fn), "_")`, nameFunction, writeSegment, writeSegments).
			Replace(distribution["cmd/link/internal/wasm/asm.go"]),
		"cmd/link/main.go": strings.NewReplacer("\t\"cmd/link/internal/x86\"\n", "",
			"\tcase \"386\":\n\t\tx86.Init()\n", "").
			Replace(distribution["cmd/link/main.go"]),
	} {
		got := compiler[name]
		if got == nil {
			got = linker[name]
		}
		if slices.Equal(strings.Fields(string(got)), strings.Fields(want)) {
			continue
		}
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

// TestTrimOther tests that sources with another structure are not trimmed, and that the error names the file.
func TestTrimOther(t *testing.T) {
	for _, c := range []struct {
		what string
		src  fs.FS
		want string
	}{
		{"no linker", fstest.MapFS{}, "cmd/internal/bio/buf.go: file does not exist"},
		{"a table in the linker", laid("switch buildcfg.GOARCH", "if true"),
			"cmd/link/main.go: it has no \"\\tswitch buildcfg.GOARCH {\""},
		{"no wasm in the linker", laid(`case "wasm"`, `case "wasm64"`),
			`cmd/link/main.go: "\tswitch buildcfg.GOARCH {" has 0 entries "wasm"`},
		{"another reader", laid("data, false, nil", "data, r.mapped, nil"), "buf.go: it has 0 times \"return data"},
		{"another buffer", laid("lenNeeded-heapLen)...", "size)..."), "outbuf.go: it has 0 times"},
		{"two statements", laid("if lenNeeded > heapLen {", "out.heap = append(out.heap, "+
			"make([]byte, lenNeeded-heapLen)...)\n\tif lenNeeded > heapLen {"), "outbuf.go: it has 2 times"},
		{"a table of another shape", laid("4+SUBBUCKETS", "8+SUBBUCKETS"), "pcln.go: it has 0 times"},
		{"names of another kind", laid("nameRegexp.", "namePattern."), `asm.go: it has 0 times "name :=`},
		{"more to a statement", laid("uint8(idx-base))", "uint8(idx-base)).Check()"), "pcln.go: it has 0 times"},
		{"segments of another form", laid("seg.offset", "seg.start"), `asm.go: it has 0 times "for _, seg`},
		{"another name of the build", laid("go:buildid", "go.buildid"), `asm.go: it has 0 times "if ldr`},
		{"another table", laid("archInits", "inits"), `cmd/compile/main.go: it has no "var archInits = "`},
		{"no wasm in the table", laid(`"wasm": wasm`, `"wasm64": wasm`),
			`cmd/compile/main.go: "var archInits = " has 0 entries "wasm"`},
		{"no switch over architectures", laid("switch arch", "switch name"), `config.go: it has no "\tswitch arch {"`},
		{"no experiment", laid("Experiment.SIMD", "Experiment.Vectors"),
			"intrinsics.go: it has 0 statements if buildcfg.Experiment.SIMD"},
	} {
		_, err := trim(c.src, trimmedLinker)
		if err == nil {
			_, err = trim(c.src, trimmedCompiler)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.what, err, c.want)
		}
	}
}

// TestTrimInstalled tests that the installed release's sources have the structure that trim expects.
func TestTrimInstalled(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := os.DirFS(filepath.Join(strings.TrimSpace(string(goroot)), "src"))
	if _, err := trim(src, trimmedCompiler); err != nil {
		t.Fatal(err)
	}
	if _, err := trim(src, trimmedLinker); err != nil {
		t.Fatal(err)
	}
}
