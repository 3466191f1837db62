package analysis

import (
	"fmt"
	"strings"
)

// bombs are declarations on which a parser, a type checker or what rewrites a program takes very long or much memory.
// Each has a few hundred bytes to some tens of kilobytes.
var bombs = map[string]string{
	"types that double": "type t0 struct{ a, b int }\n" +
		counted(28, "type t%[2]d struct{ a, b t%[1]d }\n") + use("t28"),
	"aliases that double": "type t0 = struct{ a, b int }\n" +
		counted(28, "type t%[2]d = struct{ a, b t%[1]d }\n") + use("t28"),
	"two aliases that double": "type s0 = struct{ a, b int }\ntype t0 = struct{ a, b int }\n" +
		counted(26, "type s%[2]d = struct{ a, b s%[1]d }\ntype t%[2]d = struct{ a, b t%[1]d }\n") +
		"\nvar x s26\n\nvar y t26 = x\n",
	"functions that double": "type t0 = func()\n" + counted(28, "type t%[2]d = func(t%[1]d) t%[1]d\n") +
		use("t28"),
	"maps that double": "type t0 = int\n" + counted(28, "type t%[2]d = map[[1]t%[1]d]t%[1]d\n") +
		use("t28"),
	"arrays of arrays": "type t0 [1 << 34]int\n" + counted(28, "type t%[2]d [1 << 34]t%[1]d\n") +
		use("t28"),
	"an array of 2^34": "var x = [1 << 34]int{1<<34 - 1: 1}\n",
	"texts that double": "const c0 = \"xxxxxxxxxxxxxxxx\"\n" +
		counted(28, "const c%[2]d = c%[1]d + c%[1]d\n") + "const n = len(c28)\n",
	"numbers that double": "const c0 = 1<<400 + 1\n" +
		counted(40, "const c%[2]d = c%[1]d * c%[1]d >> 30\n") + "const n = c40\n",
	"fractions": "const c0 = 1.0 / 3\n" +
		counted(40, "const c%[2]d = c%[1]d*c%[1]d + 1.0/7\n") + "const n = c40\n",
	"shifts": "const c = 1 << 500 << 500 << 1000000 >> 1000000\n",
	"iota": "const (\n\tc0 = \"x\" + \"y\"\n" +
		counted(20, "\tc%[2]d = c%[1]d + c%[1]d + c%[1]d\n") + ")\n",
	"instances": "type t[P any] struct{ a, b P }\n\nvar x " + nested("t[", "int", "]", 26) +
		"\n",
	"aliases of instances": "type t[P any] = struct{ a, b P }\n\nvar x " +
		nested("t[", "int", "]", 26) + "\n",
	"inferred instances": "func d[T any](x T) (r struct{ a, b T }) { return }\n\nfunc f() { _ = " +
		nested("d(", "0", ")", 26) + " }\n",
	"inferred one by one": "func d[T any](x T) (r struct{ a, b T }) { return }\n\nfunc f() {\n" +
		"\tx0 := 0\n" + counted(26, "\tx%[2]d := d(x%[1]d)\n") + "\t_ = x26\n}\n",
	"inferred functions": "func d[T any](x T) func(T) T { return nil }\n\nfunc f() { _ = " +
		nested("d(", "0", ")", 26) + " }\n",
	"inferred methods": "type t[P any] struct{ p P }\n\n" +
		"func (x t[P]) M() struct{ a, b P } { panic(0) }\n\n" +
		"func d[T any](x T) t[struct{ a, b T }] { panic(0) }\n\nfunc f() { _ = " +
		nested("d(", "0", ").M()", 26) + " }\n",
	"inferred from literals": "func d[T any](f func() T) (r struct{ a, b T }) { return }\n\n" +
		"func f() { _ = " + nested("d(func() (r struct{ a, b int }) { _ = ", "0", "; return })", 24) + " }\n",
	"an instance of itself": "type t[P any] struct{ p *t[t[P]] }\n\nvar x t[int]\n",
	"constraints": "type c0 interface{ ~int }\n" +
		counted(24, "type c%[2]d interface{ c%[1]d | c%[1]d }\n") + "\nfunc f[T c24](x T) {}\n",
	"type sets": "type c0 interface{ " +
		strings.TrimSuffix(counted(900, "~[%[1]d]int | "), " | ") + " }\n" +
		counted(40, "type c%[2]d interface{ c%[1]d; c0 }\n") + "\nfunc f[T c40](x T) {}\n",
	"embedded interfaces": "type i0 interface{ M() }\n" +
		counted(26, "type i%[2]d interface{ i%[1]d; interface{ i%[1]d } }\n") + "\nvar x i26\n",
	"embedded structures": "type t0 struct{ x int }\n" +
		counted(300, "type a%[2]d struct{ t%[1]d }\ntype b%[2]d struct{ t%[1]d }\n"+
			"type t%[2]d struct{ *a%[2]d; *b%[2]d }\n") + "\nvar y = t300{}.x\n",
	"initialization order": counted(1500, "var v%[1]d = f%[1]d()\n\n"+
		"func f%[1]d() int { return v%[2]d }\n") + "var v1500 = 1\n",
	"initialization by all": initialization(120),
	"labels":                "func f() {\n" + counted(2500, "l%[1]d: goto l%[2]d\n") + "l2500:\n}\n",
	"labels in blocks": "func f() {\n" + counted(1500, "l%[1]d: for { break l%[1]d\n") +
		strings.Repeat("}", 1500) + "\n}\n",
	"parentheses":          "var x = " + nested("(", "1", ")", 30000) + "\n",
	"blocks":               "func f() {\n" + nested("{", "", "}", 30000) + "\n}\n",
	"literals in literals": "var x = " + nested("func() {", "", "}", 4000) + "\n",
	"pointers":             "type t " + strings.Repeat("*", 60000) + "int\n",
	"a sum":                "var y = 1\n\nvar x = y" + strings.Repeat("+y", 30000) + "\n",
	"a sum of texts": "const y = \"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\"\n\nconst x = y" +
		strings.Repeat("+y", 30000) + "\n\nvar z = x\n",
	"keys": "var m = map[[2]any]int{" + counted(4000, "{%[1]d,%[2]d}:1,") + "}\n",
	"captures": "func f() {\n" + counted(400, "x%[1]d := 0\n") +
		nested("func() { _ = x0\n", "", "}()", 400) + "\n}\n",
	"many variables and lines": "func f() {\n" + counted(1500, "v%[1]d := 0; _ = v%[1]d\n") +
		strings.Repeat("println()\n", 1500) + "}\n",
	"a copy of all memory": "type t [1 << 40]byte\n\nvar x t\n\nfunc f() { y := x; _ = y }\n",
}

func counted(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.TrimSuffix(fmt.Sprintf(format+"%[1]d%[2]d", i, i+1), fmt.Sprintf("%d%d", i, i+1)))
	}
	return b.String()
}

func nested(open, inner, end string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// use returns declarations that need all of a type.
func use(t string) string {
	return fmt.Sprintf("\nvar x, y %s\n\nfunc f() { x = y; var i any = x; _ = i.(%[1]s) }\n", t)
}

// initialization returns variables that all depend on all functions.
func initialization(n int) string {
	var calls strings.Builder
	for i := range n {
		fmt.Fprintf(&calls, "f%d();", i)
	}
	return counted(n, "var v%[1]d = f%[1]d()\n") + counted(n, "func f%[1]d() int { return 0 }\n") +
		"func all() int { " + calls.String() + " return 0 }\n"
}
