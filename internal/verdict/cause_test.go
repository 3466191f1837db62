package verdict_test

import (
	"strings"
	"testing"

	"onthestack/internal/verdict"
)

// causes is a function for each cause, with the reason that a verdict has to give for its one line that allocates.
var causes = []struct{ name, body, why string }{
	{"Make", "b := make([]byte, n)\nreturn int(b[n-1])", "does not escape, yet allocates: its size is known only at run time, and 64 bytes is over the 32 that the compiler keeps ready on the stack"},
	{"Kept", "kept = make([]byte, n)\nreturn 0", "the slice's array moves to the heap"},
	{"Own", "room := kept[:0:0]\nroom = append(room, text...)\nreturn len(room)", "does not escape, yet allocates: append grew the slice beyond what the compiler keeps ready on the stack"},
	{"Concat", "return count(text + text[1:])", "does not escape, yet allocates: the concatenation makes a new string, and 128 bytes is over the 32 that the compiler keeps ready on the stack"},
	{"Bytes", "b := []byte(text)\nb[0] = 'x'\nreturn int(b[n-1])", "does not escape, yet allocates: the conversion copies, and 64 bytes is over the 32 that the compiler keeps ready on the stack"},
	{"String", "return count(string(raw))", "does not escape, yet allocates: the conversion copies, and 64 bytes is over the 32 that the compiler keeps ready on the stack"},
	{"Runes", "r := []rune(text)\nr[0] = 'x'\nreturn int(r[n-1])", "does not escape, yet allocates: the conversion copies, and more than 32 runes do not fit what the compiler keeps ready on the stack"},
	// A conversion in a concatenation makes no copy of its own.
	{"Both", "return count(\"<\" + string(raw))", "does not escape, yet allocates: the concatenation makes a new string, and 80 bytes is over the 32 that the compiler keeps ready on the stack"},
	{"Map", "m := map[int]int{}\nfor i := range 9 {\nm[i] = i\n}\nreturn m[n]", "not announced by the compiler: storing into a map may make it grow"},
	{"Hint", "m := make(map[int]int, n)\nreturn m[n]", "does not escape, yet allocates: the map has more entries than fit the group that the compiler keeps on the stack"},
	{"Callee", "return len(strings.Repeat(text, 2))", "allocated inside strings.Repeat, which is called here"},
}

func TestCauses(t *testing.T) {
	var source, tests strings.Builder
	source.WriteString("package c\n\nimport \"strings\"\n\nvar _ = strings.Repeat\n\nvar n, text = 64, strings.Repeat(\"x\", 64)\n\nvar raw, kept = []byte(text), []byte(nil)\n\n" +
		"//go:noinline\nfunc count(s string) int { return len(s) }\n\n")
	tests.WriteString("package c_test\n\nimport (\n\t\"testing\"\n\n\t\"onthestack/exercises/c\"\n)\n\n")
	for _, c := range causes {
		source.WriteString("//go:noinline\nfunc " + c.name + "() int {\n" + c.body + "\n}\n\n")
		tests.WriteString("func Benchmark" + c.name + "(b *testing.B) {\n\tfor range b.N {\n\t\tc." + c.name + "()\n\t}\n}\n\n")
	}
	p, err := verdict.NewPackage("causes", "onthestack/exercises/c", map[string][]byte{"c.go": []byte(source.String()), "c_test.go": []byte(tests.String())})
	if err != nil {
		t.Fatal(err)
	}
	v, err := native().Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Pass {
		t.Fatalf("stage %q\n%v\n%s", v.Stage, v.Errors, v.Tests.Output)
	}
	for i, c := range causes {
		var sum float64
		for _, a := range v.Allocations {
			if a.Benchmark != "Benchmark"+c.name {
				continue
			}
			sum += a.AllocsPerOp
			if a.Why != c.why {
				t.Errorf("%s: %q says %q, want %q", c.name, a.Code, a.Why, c.why)
			}
		}
		if b := v.Benchmarks[i]; b.AllocsPerOp == 0 || sum != b.AllocsPerOp {
			t.Errorf("%s: lines allocate %v, the benchmark says %v allocs/op", c.name, sum, b.AllocsPerOp)
		}
	}
}
