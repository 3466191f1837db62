package budget

import (
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// say writes a directive as the tables do: its line, what it is about, and what it asks for.
func say(d Directive) string {
	number := func(n *float64) string {
		if n == nil {
			return "-"
		}
		return strconv.FormatFloat(*n, 'g', -1, 64)
	}
	if d.NoEscape() {
		return fmt.Sprintf("%d: noescape on %d", d.Line, d.Target)
	}
	text := fmt.Sprintf("%d: %s allocs %s bytes %s", d.Line, d.Benchmark, number(d.Allocs), number(d.Bytes))
	if d.Bench != "" {
		text += " of " + d.Bench
	}
	return text
}

// TestParseLine reads one directive above a benchmark. A wanted text that begins with "!" is part of a mistake's
// message.
func TestParseLine(t *testing.T) {
	const unknown = "!known are allocs<=N, bytes<=N, bench=PATTERN and noescape"
	for _, test := range []struct{ comment, want string }{
		{"//checkalloc:allocs<=1", "3: BenchmarkX allocs 1 bytes -"},
		{"//checkalloc:bytes<=64", "3: BenchmarkX allocs - bytes 64"},
		{"//checkalloc:allocs<=0 bytes<=0", "3: BenchmarkX allocs 0 bytes 0"},
		{"//checkalloc:bytes<=64\tallocs<=0.125", "3: BenchmarkX allocs 0.125 bytes 64"},
		{"//checkalloc:allocs<=1 bench=Large/.*", "3: BenchmarkX allocs 1 bytes - of Large/.*"},
		{"//checkalloc:bench=^a$|b allocs<=1", "3: BenchmarkX allocs 1 bytes - of ^a$|b"},
		{"//checkalloc:allocs<=1 // the result", "3: BenchmarkX allocs 1 bytes -"},
		{"//checkalloc:allocs<=1 //the result", "3: BenchmarkX allocs 1 bytes -"},
		{"//checkalloc:allocs<=01", "3: BenchmarkX allocs 1 bytes -"},

		{"//checkalloc:", "!nothing follows the colon"},
		{"//checkalloc:// why", "!nothing follows the colon"},
		{"//checkalloc: allocs<=1", "!there must be no space after the colon: write //checkalloc:allocs<=1"},
		{"//checkalloc:alloc<=1", `!"alloc" is unknown: do you mean allocs? Known are`},
		{"//checkalloc:Allocs<=1", `!"Allocs" is unknown: do you mean allocs?`},
		{"//checkalloc:B/op<=1", `!do you mean bytes?`},
		{"//checkalloc:no-escape", `!do you mean noescape?`},
		{"//checkalloc:ns<=100", "!time cannot be limited"},
		{"//checkalloc:frob", unknown},
		{"//checkalloc:frob<=1", unknown},
		{"//checkalloc:<=1", unknown},
		{"//checkalloc:noescape,allocs<=1", unknown},
		{"//checkalloc:allocs<1", "!allocs can only be limited by <=: write allocs<=N, not allocs<1"},
		{"//checkalloc:allocs=1", "!can only be limited by <="},
		{"//checkalloc:allocs==1", "!can only be limited by <="},
		{"//checkalloc:allocs>=1", "!can only be limited by <="},
		{"//checkalloc:allocs≤1", "!can only be limited by <="},
		{"//checkalloc:allocs:1", "!can only be limited by <="},
		{"//checkalloc:allocs", "!can only be limited by <="},
		{"//checkalloc:allocs <= 1", "!there must be no space around <=: write allocs<=N"},
		{"//checkalloc:allocs<= 1", "!there must be no space around <="},
		{"//checkalloc:allocs <=1", "!there must be no space around <="},
		{"//checkalloc:allocs<=", "!allocs<=: write a number"},
		{"//checkalloc:allocs<=one", "!allocs<=one: write a number such as allocs<=1 or allocs<=0.1"},
		{"//checkalloc:allocs<=-1", "!write a number"},
		{"//checkalloc:allocs<=+1", "!write a number"},
		{"//checkalloc:allocs<=1e3", "!write a number"},
		{"//checkalloc:allocs<=0x1", "!write a number"},
		{"//checkalloc:allocs<=1_000", "!write a number"},
		{"//checkalloc:allocs<=NaN", "!write a number"},
		{"//checkalloc:allocs<=.5", "!write a number"},
		{"//checkalloc:allocs<=1.", "!write a number"},
		{"//checkalloc:allocs<=" + strings.Repeat("9", 400), "!is too large"},
		{"//checkalloc:allocs<=1,bytes<=64", "!a space separates limits"},
		{"//checkalloc:bytes<=64B", "!write a whole number of bytes without a unit"},
		{"//checkalloc:bytes<=1KiB", "!write a whole number of bytes without a unit"},
		{"//checkalloc:bytes<=1.5", "!bytes are whole"},
		{"//checkalloc:allocs<=1 allocs<=2", "!allocs<= appears twice"},
		{"//checkalloc:bench=A", "!nothing is limited"},
		{"//checkalloc:allocs<=1 bench=", "!bench= lacks its pattern"},
		{"//checkalloc:allocs<=1 bench=A bench=B", "!bench= appears twice"},
		{"//checkalloc:allocs<=1 bench=(", "!is not a regular expression"},
		{"//checkalloc:allocs<=1 bench=a/[", "!is not a regular expression"},
		{"//checkalloc:noescape noescape", "!noescape appears twice"},
		{"//checkalloc:noescape allocs<=1", "!write a directive for each"},
		{"//checkalloc:noescape bench=A", "!write a directive for each"},
		{"//checkalloc:noescape", "!noescape does not apply to test files"},

		{"// checkalloc:allocs<=1", "!this is not a directive: write //checkalloc:allocs<=1"},
		{"// checkalloc: noescape", "!this is not a directive: write //checkalloc:noescape"},
		{"//Checkalloc:allocs<=1 bytes<=2", "!write //checkalloc:allocs<=1 bytes<=2"},
		{"//checkalloc allocs<=1", "!write //checkalloc:allocs<=1"},
		{"/*checkalloc:allocs<=1*/", "!write //checkalloc:allocs<=1"},
		{"//checkallocs:allocs<=1", ""},
		{"// checkalloc:noescape is a directive.", ""},
		{"// checkalloc: a tool", ""},
		{"// Checkalloc", ""},
		{"// write //checkalloc:noescape", ""},
		{"//\t//checkalloc:noescape", ""},
		{"//nolint:checkalloc", ""},
	} {
		src := "package x\n\n" + test.comment + "\nfunc BenchmarkX(b *testing.B) {}\n"
		for _, src := range []string{src, strings.ReplaceAll(src, "\n", "\r\n")} {
			directives, mistakes := Parse("x_test.go", []byte(src))
			part, wrong := strings.CutPrefix(test.want, "!")
			switch {
			case test.want == "":
				if len(directives)+len(mistakes) > 0 {
					t.Errorf("%s: %v %v", test.comment, directives, mistakes)
				}
			case wrong:
				if len(directives) > 0 || len(mistakes) != 1 || !strings.Contains(mistakes[0].Message, part) {
					t.Errorf("%s: %v, %v; want a mistake with %q", test.comment, directives, mistakes, part)
				} else if m := mistakes[0]; m.File != "x_test.go" || m.Line != 3 || m.Col != 1 {
					t.Errorf("%s: at %s:%d:%d", test.comment, m.File, m.Line, m.Col)
				}
			case len(directives) != 1 || len(mistakes) != 0 || say(directives[0]) != test.want:
				t.Errorf("%s: %v, %v; want %s", test.comment, directives, mistakes, test.want)
			}
		}
	}
}

// TestPlaces reads whole files. A line that ends in "// want TEXT" holds a directive that says TEXT; in "// wrong
// TEXT", a mistake with TEXT in its message. Both are taken off before the file is read.
func TestPlaces(t *testing.T) {
	for _, test := range []struct{ name, file, src string }{
		{"benchmarks", "dir/x_test.go", `package x

import "testing"

// BenchmarkDoc has a text.
//
//checkalloc:allocs<=1 // want BenchmarkDoc allocs 1 bytes -
//checkalloc:bytes<=8 bench=Small // want BenchmarkDoc allocs - bytes 8 of Small
func BenchmarkDoc(b *testing.B) {
	//checkalloc:allocs<=1 // wrong put them directly above one
	for b.Loop() { //checkalloc:bytes<=1 // wrong put them directly above one
	}
}

//checkalloc:allocs<=1 // wrong put them directly above one

func BenchmarkGap(b *testing.B) {}

//checkalloc:allocs<=1 // wrong TestX is not a benchmark
func TestX(t *testing.T) {}

//checkalloc:allocs<=1 // wrong Benchmarking is not a benchmark
func Benchmarking(b *testing.B) {}

//checkalloc:allocs<=1 // wrong BenchmarkMethod is not a benchmark
func (s) BenchmarkMethod(b *testing.B) {}

//checkalloc:allocs<=1 // wrong BenchmarkMore is not a benchmark
func BenchmarkMore(b *testing.B, n int) {}

//checkalloc:allocs<=1 // wrong BenchmarkGeneric is not a benchmark
func BenchmarkGeneric[T any](b *testing.B) {}

//checkalloc:allocs<=1 // wrong BenchmarkT is not a benchmark
func BenchmarkT(b *testing.T) {}

//checkalloc:allocs<=1 // want Benchmark allocs 1 bytes -
func Benchmark(b *testing.B) {}

//checkalloc:allocs<=1 // want BenchmarkÉté allocs 1 bytes -
func BenchmarkÉté(*B) {}

//checkalloc:allocs<=1 // wrong put them directly above one
var x = 1

type s struct{}
`},
		{"no test file", "x.go", `package x

//checkalloc:allocs<=1 // wrong BenchmarkX is not in a _test.go file
func BenchmarkX(b *testing.B) {}
`},
		{"lines", "x.go", `// Package x is checked.
package x //checkalloc:noescape // wrong this line creates no value

import "fmt" //checkalloc:noescape // wrong this line creates no value

const c = 1 //checkalloc:noescape // wrong this line creates no value

type t struct {
	f int //checkalloc:noescape // wrong this line creates no value
}

var p = new(int) //checkalloc:noescape // want on 12

var (
	//checkalloc:noescape // want on 16
	q = new(int)
)

//checkalloc:noescape // wrong not for the whole of f
func f(n int) { //checkalloc:noescape // want on 20
	x := 1 //checkalloc:noescape // want on 21
	//checkalloc:noescape // want on 23
	y := &x
	// Text above.
	//checkalloc:noescape // want on 27
	// Text below.
	var z [4]int
	//checkalloc:noescape // wrong the line below creates no value

	fmt.Println(x, y, z) // text //checkalloc:noescape // wrong this is not a directive

	for { //checkalloc:noescape // wrong this line creates no value
		break //checkalloc:noescape // wrong this line creates no value
	}
	//checkalloc:noescape // wrong the line below creates no value
}

func g( //checkalloc:noescape // wrong this line creates no value
	a int, //checkalloc:noescape // want on 39
	_ int, // of no name
) (
	r *int, //checkalloc:noescape // want on 42
) {
	call(
		&t{}, //checkalloc:noescape // want on 45
		//checkalloc:noescape // want on 47
		func(s string) {
			type u int //checkalloc:noescape // wrong this line creates no value
		}, //checkalloc:noescape // wrong put noescape on the line on which the expression begins
	) //checkalloc:noescape // wrong this line creates no value
label: //checkalloc:noescape // wrong this line creates no value
	for i := range 3 { //checkalloc:noescape // want on 52
		goto label //checkalloc:noescape // wrong this line creates no value
	}
	/* text */ //checkalloc:noescape // wrong this line creates no value
	_ = "//checkalloc:frob"
	_ = ` + "`" + `
//checkalloc:frob
` + "`" + `
	return nil //checkalloc:noescape // want on 60
} //checkalloc:noescape // wrong this line creates no value
`},
		{"another's lines", "x.go", `package x

func f() {
	a := new(int) //checkalloc:noescape // want on 4
//line y.tmpl:70
	b := new(int) //checkalloc:noescape // wrong a //line comment makes the compiler call this line y.tmpl:70
}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var src, want []string
			for i, line := range strings.Split(test.src, "\n") {
				for _, kind := range []string{"// want ", "// wrong "} {
					if before, what, ok := strings.Cut(line, kind); ok {
						line = strings.TrimRight(before, " ")
						if what := strings.TrimSpace(what); strings.HasPrefix(what, "on ") {
							want = append(want, fmt.Sprintf("%d: noescape %s", i+1, what))
						} else if kind == "// want " {
							want = append(want, fmt.Sprintf("%d: %s", i+1, what))
						} else {
							want = append(want, fmt.Sprintf("%d! %s", i+1, what))
						}
					}
				}
				src = append(src, line)
			}
			directives, mistakes := Parse(test.file, []byte(strings.Join(src, "\n")))
			for _, d := range directives {
				i := slices.Index(want, say(d))
				if i < 0 {
					t.Errorf("%s is not wanted", say(d))
					continue
				}
				want = slices.Delete(want, i, i+1)
			}
			for _, m := range mistakes {
				i := slices.IndexFunc(want, func(w string) bool {
					part, ok := strings.CutPrefix(w, fmt.Sprintf("%d! ", m.Line))
					return ok && strings.Contains(m.Message, part)
				})
				if i < 0 {
					t.Errorf("%d: mistake %q is not wanted", m.Line, m.Message)
					continue
				}
				want = slices.Delete(want, i, i+1)
			}
			for _, w := range want {
				t.Errorf("missing: %s", w)
			}
		})
	}
}

func TestParseBroken(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"without directives", "package x\nfunc f( {\n// checkalloc\n", ""},
		{"with one", "package x\nfunc f( {\n\tx() //checkalloc:noescape\n}\n", "2: its directives cannot be read: "},
		{"with no name", "//checkalloc:noescape\n", "1: its directives cannot be read: expected 'package'"},
		{"renamed", "package x\n//line y.go:7\nfunc f( { //checkalloc:noescape\n",
			"1: its directives cannot be read: "},
	} {
		directives, mistakes := Parse("x.go", []byte(test.src))
		if len(directives) > 0 {
			t.Errorf("%s: %v", test.name, directives)
		}
		got := ""
		for _, m := range mistakes {
			got += fmt.Sprintf("%d: %s", m.Line, m.Message)
		}
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestFormat proves that gofmt leaves directives what they are.
func TestFormat(t *testing.T) {
	const src = `package x

import "testing"

// BenchmarkX has a text.
//checkalloc:allocs<=1   bytes<=64 // why
// And more text.
func BenchmarkX(b *testing.B) {
	for b.Loop() {
		//checkalloc:noescape
		x   :=  new(int)
		y := new(int)    //checkalloc:noescape
		var (
			// Text.
			//checkalloc:noescape
			z int
		)
		f(x,y,z)
	}
}
`
	both := func(src []byte) []Directive { // the lines, as of a file that is no test, and the benchmark
		tests, _ := Parse("x_test.go", src)
		lines, _ := Parse("x.go", src)
		return append(tests, lines...)
	}
	before := both([]byte(src))
	formatted, err := format.Source([]byte(src))
	if err != nil || len(before) != 4 {
		t.Fatal(before, err)
	}
	after := both(formatted)
	if len(after) != len(before) {
		t.Fatalf("%v after gofmt:\n%s", after, formatted)
	}
	lines := strings.Split(string(formatted), "\n")
	for i, d := range after {
		if d.Text != before[i].Text || d.Benchmark != before[i].Benchmark {
			t.Errorf("%v became %v", before[i], d)
		}
		if d.NoEscape() && !strings.ContainsAny(lines[d.Target-1], "xyz") {
			t.Errorf("%v speaks of %q", d, lines[d.Target-1])
		}
	}
}
