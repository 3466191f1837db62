package hostile

import (
	"fmt"
	"strings"
)

// sources are programs that are hard on the compiler, or use features that it rejects here.
var sources = []hostile{
	{"a huge constant", main_("const x = 1 << 10000000\n\nfunc main() {}"),
		fails("./prog.go:3:16: invalid operation: invalid shift count 10000000")},
	{"a huge float", main_("const x = 1e1000000000\n\nfunc main() { println(x > 1) }"), fails("./prog.go:3:11: ")},
	{"a long constant", main_("const x = " + repeat("9", 60000) + "\n\nfunc main() { println(x > 1) }"),
		fails("./prog.go:3:11: ")},
	{"a product of huge constants", main_("const a = 1<<500 - 1\nconst b = a * a * a * a\n\nfunc main() {}"),
		fails("./prog.go:4:13: constant multiplication overflow\n")},
	{"a constant that doubles", main_("const a = \"xxxxxxxxxxxxxxxx\"" + doubling(30) + "\n\nfunc main() {}"),
		tooMuchToBuild},
	{"deep nesting", main_("var x = " + repeat("(", 10000) + "1" + repeat(")", 10000) + "\n\nfunc main() {}"),
		prints("")},
	{"deeper nesting", main_("var x = " + repeat("(", 30000) + "1" + repeat(")", 30000) + "\n\nfunc main() {}"),
		prints("")},
	{"deep blocks", main_("func main() {\n" + repeat("{", 10000) + repeat("}", 10000) + "\n}"), prints("")},
	{"deep functions", main_("var x = " + repeat("func(){", 6000) + repeat("}", 6000) + "\n\nfunc main() {}"),
		fails("./prog.go:3:16: func() {…} (value of type func()) is not used\n")},
	{"deep calls", main_("func f(x int) int { return x }\n\nfunc main() { println(" + repeat("f(", 5000) + "1" +
		repeat(")", 5000) + ") }"), prints("1\n")},
	{"deep pointers", main_("type T " + repeat("*", 300) + "int\n\nfunc main() {}"), prints("")},
	{"deep structures", main_("type T " + repeat("struct{x ", 200) + "int" + repeat("}", 200) + "\n\nfunc main() {}"),
		prints("")},
	{"a long sum", main_("var y int\n\nvar x = y" + repeat("+y", 3000) + "\n\nfunc main() { println(x) }"),
		prints("0\n")},
	{"a long sum of texts", main_("var y = \"y\"\n\nvar x = y" + repeat("+y", 3000) +
		"\n\nfunc main() { println(len(x)) }"), prints("3001\n")},
	{"a long chain of else", main_("func main() {\n\tx := 1\n\t" + repeat("if x == 2 { } else ", 3000) +
		"{ println(x) }\n}"), prints("1\n")},
	{"many functions", main_(counted(1000, "func f%[1]d(){f%[2]d()}\n") + "func f1000() { println(1) }\n\n" +
		"func main() { f0() }"), prints("1\n")},
	{"many variables", main_("func main() {\n" + counted(4000, "x%[1]d:=0\n") + "}"),
		fails("declared and not used: x")},
	{"many labels", main_("func main() {\n" + counted(2500, "l%[1]d: goto l%[2]d\n") +
		"l2500:\n\tif false { goto l0 }\n}"), prints("")},
	{"many cases", main_("func main() {\n\tvar i any = 1\n\tswitch i {\n" + counted(4000, "case %[1]d:\n") +
		"\t}\n}"), prints("")},
	{"many keys", main_("var m = map[int]int{" + counted(4000, "%[1]d:%[2]d,") +
		"}\n\nfunc main() { println(len(m)) }"),
		prints("4000\n")},
	{"many imports", main_(repeat("import _ \"fmt\"\n", 4000) + "\nfunc main() {}"), prints("")},
	{"many mistakes", main_("func main() {\n" + repeat("\tx()\n", 10000) + "}"),
		fails("./prog.go:13:2: too many errors\n")},
	{"a mistake in a long line", "package main; func main() {" + repeat("println();", 6000) + "x }",
		fails("./prog.go:1:")},
	{"structures that embed what doubles", main_("type t0 struct{ x int }\n" +
		counted(500, "type a%[2]d struct{ t%[1]d }\ntype b%[2]d struct{ t%[1]d }\ntype t%[2]d struct{ *a%[2]d; "+
			"*b%[2]d }\n") +
		"\nfunc main() { var x t500; println(x.x) }"), fails("ambiguous selector x.x")},
	{"an array of arrays", main_("var x [1 << 20][1 << 20][1 << 20]int\n\nfunc main() { println(len(x)) }"),
		fails("./prog.go:3:5: type [1048576][1048576][1048576]int larger than address space\n")},
	{"a generic of itself", main_("type T[P any] struct{ p *T[T[P]] }\n\nvar x T[int]\n\nfunc main() {}"),
		fails("./prog.go:3:8: instantiation cycle:\n")},
	{"a generic function of itself", main_("func f[P any](n int) { if n > 0 { f[*P](n - 1) } }\n\n" +
		"func main() { f[int](3) }"), fails("instantiation cycle")},
	{"generics of generics", main_("type T[P any] struct{ p P }\n\nvar x " + repeat("T[", 500) + "int" + repeat("]",
		500) +
		"\n\nfunc main() {}"), prints("")},
	{"a type of itself", main_("type T [2]T\n\nfunc main() {}"),
		fails("./prog.go:3:6: invalid recursive type: T refers to itself\n")},
	{"a length of itself", main_("var x [len(x)]int\n\nfunc main() {}"), fails("initialization cycle")},
	{"recursion without a stack's end", main_("//go:nosplit\nfunc f(n int) int { return g(n) + 1 }\n\n//go:nosplit\n" +
		"func g(n int) int { return f(n) + 1 }\n\nfunc main() { println(f(2)) }"),
		exits(2, "the program was stopped: out of bounds memory access\n")},
	{"a variable of 8 GiB", main_("var x [8 << 30]byte\n\nfunc main() { x[len(x)-1] = 1; println(x[0]) }"),
		fails(": main.x: symbol too large (8589934592 bytes > 2000000000 bytes)\n")},
	{"a variable of 1 GiB", main_("var x [1 << 30]byte\n\nfunc main() { x[len(x)-1] = 1; println(x[0]) }"),
		exits(2, "the program was stopped: ")},
	{"a variable of 8 GiB in a function", main_("func main() { var x [8 << 30]byte; x[len(x)-1] = 1; println(x[0]) }"),
		oneOf(exits(2, "the program was stopped: out of bounds memory access\n"), outOfMemory)},
	{"a variable that takes 1.8 GB to compile",
		main_("var x = [1900000000]byte{1899999999: 1}\n\nfunc main() { println(x[0]) }"), tooMuchToBuild},
	{"a large binary", main_("var x = [180000000]byte{179999999: 1}\n\nfunc main() { println(x[0]) }"), prints("0\n")},
	{"a larger binary", main_("const a = \"xxxxxxxxxxxxxxxx\"" + doubling(21) +
		"\n\nvar n = 1\n\nfunc main() { println(a21[n]) }"),
		exits(2, "the program was not started: built, it has more than 32 MiB\n")},
	{"a function too large to compile", main_("var m = map[int]int{}\n\nfunc main() {\n" + counted(3500,
		"m[%[1]d]++\n") +
		"println(len(m)) }"), prints("3500\n")},

	{"one long line", "package main; func main() {" + repeat("println();", 2500) + "}", prints(repeat("\n", 2500))},
	{"a longer line", fill("package main; func main() {", "println();", "}"),
		prints(repeat("\n", (maxProgram-len("package main; func main() {}"))/len("println();")))},
	{"a long name", main_("var " + repeat("x", 60000) + " = 1\n\nfunc main() {}"), prints("")},
	{"a long text", main_("const s = \"" + repeat("x", 60000) + "\"\n\nfunc main() { println(len(s)) }"),
		prints("60000\n")},
	{"a long import", main_("import _ \"" + repeat("x", 60000) + "\"\n\nfunc main() {}"), fails("xxxxx")},
	{"a long comment", fill(hello+"//", "x", "\n"), prints("hi\n")},
	{"a comment without end", main_("/*" + repeat("x", 60000)), fails("prog.go:3:1: comment not terminated\n")},
	{"a text without end", main_("var s = `" + repeat("x", 60000)), fails("string not terminated\n")},
	{"NUL", main_("func main() {\x00}"), fails("./prog.go:3:14: invalid NUL character\n")},
	{"not UTF-8", main_("var s = \"\xff\"\n\nfunc main() {}"), fails("./prog.go:3:10: invalid UTF-8 encoding\n")},
	{"UTF-16", "\xff\xfep\x00a\x00c\x00k\x00a\x00g\x00e\x00", fails("prog.go:1:1: ")},
	{"a byte order mark in the middle", main_("func main() {\ufeff}"),
		fails("./prog.go:3:14: invalid BOM in the middle of the file\n")},
	{"carriage returns", strings.ReplaceAll(hello, "\n", "\r\n"), prints("hi\n")},
	{"nothing but binary", "\x7fELF\x02\x01\x01\x00", fails("prog.go:1:1: illegal character U+007F\n")},
	{"nothing but spaces", " \n\n", fails("there is no program: it is empty\n")},

	{"cgo", main_("import \"C\"\n\nfunc main() {}"), fails("./prog.go:3:8: import \"C\": there is no cgo here\n")},
	{"cgo with flags", main_("// #cgo LDFLAGS: -fplugin=/tmp/x.so\n// #include \"/etc/passwd\"\nimport \"C\"\n\n" +
		"func main() {}"), fails("./prog.go:5:8: import \"C\": there is no cgo here\n")},
	{"cgo in another file", main_("func main() {}") + "-- x.go --\n" + main_("import \"C\""),
		fails("./x.go:3:8: import \"C\": there is no cgo here\n")},
	{"flags for cgo", main_("//go:cgo_ldflag \"-fplugin=/tmp/x.so\"\n\nfunc main() {}"),
		fails("./prog.go:3:3: //go:cgo_ldflag \"-fplugin=/tmp/x.so\" only allowed in cgo-generated code\n")},
	{"an import for cgo", main_("//go:cgo_import_dynamic x x \"libc.so.6\"\n\nfunc main() {}"), prints("")},
	{"cgo's runtime", main_("import _ \"runtime/cgo\"\n\nfunc main() {}"),
		fails("adddynsym: unsupported binary format\n")},
	{"assembly", main_("func main() {}") + "-- a.s --\n#include \"/etc/passwd\"\n",
		fails("a.s: a program here is made of Go files only\n")},
	{"assembly for this platform", main_("func f()\n\nfunc main() { f() }") + "-- f_wasm.s --\nTEXT ·f(SB), 0, $0\n" +
		"\tRET\n", fails("f_wasm.s: a program here is made of Go files only\n")},
	{"a function that is elsewhere", main_("func f()\n\nfunc main() { f() }"),
		fails("./prog.go:3:6: missing function body\n")},
	{"C", main_("func main() {}") + "-- a.c --\n#include \"/etc/passwd\"\n",
		fails("a.c: a program here is made of Go files only\n")},
	{"a header", main_("func main() {}") + "-- sub/a.h --\n#include \"/etc/passwd\"\n",
		fails("sub/a.h: a program here is made of Go files only\n")},
	{"an object", main_("func main() {}") + "-- a.syso --\nx\n",
		fails("a.syso: a program here is made of Go files only\n")},
	{"a constraint", "//go:build ignore\n\n" + main_("func main() {}"),
		fails("build constraints exclude all Go files: this is wasip1/wasm\n")},
	{"a linkname", main_("import _ \"unsafe\"\n\n//go:linkname exit runtime.exit\nfunc exit(int32)\n\n" +
		"func main() { exit(0) }"), fails("link: main: invalid reference to runtime.exit\n")},
	{"a function of the runtime's", main_("//go:systemstack\nfunc f() {}\n\nfunc main() { f() }"),
		fails("./prog.go:3:3: //go:systemstack only allowed in runtime\n")},
	{"a line directive", "//line /etc/passwd:1\n" + main_("func main() { x }"), fails("/etc/passwd:3: undefined: x\n")},
	{"a line directive out of bounds", "//line x.go:999999999999\n" + main_("func main() { x }"),
		fails("prog.go:1:13: invalid line number: 999999999999\n")},
	{"a plugin", main_("import _ \"plugin\"\n\nfunc main() {}"), prints("")},
	{"a plugin that it opens", does("plugin",
		"_, err := plugin.Open(\"/lib/libc.so.6\"); println(\"opened:\", err == nil)"), prints("opened: false\n")},
	{"generates", main_("//go:generate /bin/false\n\nfunc main() { println(1) }"), prints("1\n")},
	{"another main", main_("func main() {}\n\nfunc main() {}"),
		fails("./prog.go:5:6: main redeclared in this block\n")},
	{"what the runner adds, again", main_("func runner_setMaxStack(int) int { return 0 }\n\nfunc main() {}"),
		fails("runner_setMaxStack")},
}

// fill returns a source of the maximum size, or a little less, in one line.
func fill(before, repeated, after string) string {
	return before + repeat(repeated, (maxProgram-len(before)-len(after))/len(repeated)) + after
}

// counted returns n copies of a text, in which %[1]d is the number of the copy and %[2]d the number of the next.
func counted(n int, format string) string {
	var b strings.Builder
	for i := range n {
		piece := strings.NewReplacer("%[1]d", fmt.Sprint(i), "%[2]d", fmt.Sprint(i+1))
		piece.WriteString(&b, format)
	}
	return b.String()
}

// doubling returns n constants, each twice as long as the one before.
func doubling(n int) string {
	return strings.Replace(counted(n, "\nconst a%[2]d = a%[1]d + a%[1]d"), "a0 + a0", "a + a", 1)
}

// exploding returns n functions, each of which needs three instances of the next.
func exploding(n int) string {
	return "type pair[A, B any] struct { a A; b B }\n\n" +
		counted(n, "func f%[1]d[T any]() { f%[2]d[pair[T, int]](); f%[2]d[pair[int, T]](); f%[2]d[*T]() }\n") +
		fmt.Sprintf("func f%d[T any]() { var t T; print(&t) }", n)
}
