package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/verdict"
)

// A made is a side in the making, as one file: lines that end in "// N" or "// N WHY" make N allocations of 16 bytes.
func made(t testing.TB, src string) Side {
	t.Helper()
	v := &verdict.Verdict{Schema: verdict.Schema, Package: "example.com/p", Stage: ""}
	files := map[string][]byte{}
	name, fn := "a.go", ""
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			files[name] = []byte(text.String())
			text.Reset()
		}
	}
	line := 0
	sum := verdict.Benchmark{Name: "BenchmarkF", N: 1000, NsPerOp: 100}
	for l := range strings.Lines(src) {
		l = strings.TrimRight(l, "\n")
		if after, ok := strings.CutPrefix(l, "== "); ok {
			flush()
			name, line = after, 0
			continue
		}
		line++
		if after, ok := strings.CutPrefix(l, "func "); ok {
			fn, _, _ = strings.Cut(after, "(")
		}
		code, note, ok := strings.Cut(l, " // ")
		if ok {
			count, why, _ := strings.Cut(note, " ")
			var n float64
			if _, err := fmt.Sscan(count, &n); err != nil {
				t.Fatal(err)
			}
			if why == "" {
				why = "it escapes"
			}
			if n > 0 {
				v.Allocations = append(v.Allocations, verdict.Allocation{
					Benchmark: "BenchmarkF", File: name, Line: line, Func: fn, Code: strings.TrimSpace(code),
					AllocsPerOp: n, BytesPerOp: 16 * n, Why: why,
				})
				sum.AllocsPerOp += n
				sum.BytesPerOp += 16 * n
			}
		}
		text.WriteString(code + "\n")
	}
	flush()
	v.Benchmarks = []verdict.Benchmark{sum}
	return Side{Label: "side", Verdict: v, Source: func(file string) []byte { return files[file] }}
}

// outline writes a comparison's lines: "more a.go:3 → a.go:4 1 → 2".
func outline(c *Comparison) string {
	var all []string
	for _, l := range c.Lines {
		text := fmt.Sprintf("%s %s → %s %g → %g", l.Kind, outlinePlaces(l.Old.Places), outlinePlaces(l.New.Places),
			l.Old.AllocsPerOp, l.New.AllocsPerOp)
		if l.ReasonChanged {
			text += fmt.Sprintf(" (%s → %s)", l.Old.Why, l.New.Why)
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

func outlinePlaces(places []Place) string {
	var all []string
	for _, p := range places {
		all = append(all, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, "+")
}

const begin = "package p\n\nfunc F(n int) {\n"

// TestLines compares pairs of sources with their counts, with and without the texts.
func TestLines(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           string // with the texts
		without        string // with what the verdicts have alone; "" for the same
		more           bool
	}{
		{
			name: "same",
			old:  begin + "\ta := make([]int, n) // 1\n\tuse(a)\n}\n",
			new:  begin + "\ta := make([]int, n) // 1\n\tuse(a)\n}\n",
		}, {
			name: "moved down",
			old:  begin + "\ta := make([]int, n) // 1\n\tuse(a)\n}\n",
			new: "package p\n\nimport \"fmt\"\n\n// F does it.\nfunc F(n int) {\n\tfmt.Println()\n" +
				"\ta := make([]int, n) // 1\n\tuse(a)\n}\n",
		}, {
			name: "formatted anew",
			old:  begin + "\ta  :=  make([]int,   n) // 1\n\tuse(a)\n}\n",
			new:  begin + "\tif n > 0 {\n\t\ta := make([]int, n) // 1\n\t\tuse(a)\n\t}\n}\n",
		}, {
			name: "two of one text, in order",
			old:  begin + "\tput(\"x\") // 1\n\tput(\"x\") // 2\n}\n",
			new:  begin + "\tlog()\n\tput(\"x\") // 1\n\tlog()\n\tput(\"x\") // 3\n}\n",
			want: "more a.go:5 → a.go:7 2 → 3", more: true,
		}, {
			name: "started and stopped",
			old:  begin + "\tx := first(n) // 2\n\tuse(x)\n\ty := second(n)\n\tuse(y)\n}\n",
			new:  begin + "\tx := first(n)\n\tuse(x)\n\ty := second(n) // 1\n\tuse(y)\n}\n",
			want: "started a.go:6 → a.go:6 0 → 1\nstopped a.go:4 → a.go:4 2 → 0", more: true,
			without: "started none → a.go:6 0 → 1\nstopped a.go:4 → none 2 → 0",
		}, {
			name: "edited, allocates less",
			old:  begin + "\tx := make([]int, n) // 2\n\tuse(x)\n}\n",
			new:  begin + "\tx := make([]int, 0, n) // 1\n\tuse(x)\n}\n",
			want: "fewer a.go:4 → a.go:4 2 → 1",
		}, {
			name: "rewritten",
			old:  begin + "\ts += name // 3 the concatenation makes a new string\n\tuse(s)\n}\n",
			new:  begin + "\tb.WriteString(n) // 1 allocated inside WriteString\n\tuse(s)\n}\n",
			want: "fewer a.go:4 → a.go:4 3 → 1 (the concatenation makes a new string → allocated inside WriteString)",
			// Without the text nothing shows that one line replaced the other.
			without: "started none → a.go:4 0 → 1\nstopped a.go:4 → none 3 → 0",
		}, {
			name: "edited, stopped",
			old:  begin + "\ts := fmt.Sprint(n) // 1\n\tuse(s)\n}\n",
			new:  begin + "\ts := strconv.Itoa(n)\n\tuse(s)\n}\n",
			want: "stopped a.go:4 → a.go:4 1 → 0", without: "stopped a.go:4 → none 1 → 0",
		}, {
			name: "split, same sum",
			old:  begin + "\treturn wrap(strings.ToUpper(string(body))) // 3\n}\n",
			new:  begin + "\tupper := strings.ToUpper(string(body)) // 2\n\treturn wrap(upper) // 1\n}\n",
		}, {
			name: "split, one more",
			old:  begin + "\treturn wrap(strings.ToUpper(string(body))) // 2\n}\n",
			new:  begin + "\tupper := strings.ToUpper(string(body)) // 2\n\treturn wrap(upper) // 1\n}\n",
			want: "more a.go:4 → a.go:4+a.go:5 2 → 3", more: true,
		}, {
			name: "joined",
			old:  begin + "\tupper := strings.ToUpper(string(body)) // 2\n\treturn wrap(upper) // 2\n}\n",
			new:  begin + "\treturn wrap(strings.ToUpper(string(body))) // 3\n}\n",
			want: "fewer a.go:4+a.go:5 → a.go:4 4 → 3",
		}, {
			name: "one like it came beside it",
			old:  begin + "\ta := make([]int, n) // 1\n\tuse(a)\n}\n",
			new:  begin + "\ta := make([]int, m) // 1\n\tb := make([]int, m) // 1\n\tuse(a)\n}\n",
			want: "started none → a.go:5 0 → 1", more: true,
		}, {
			name: "order changed",
			old:  begin + "\ta := one(n) // 1\n\tb := two(n) // 2\n\tc := three(n) // 3\n}\n",
			new:  begin + "\tc := three(n) // 3\n\ta := one(n) // 1\n\tb := two(n) // 2\n}\n",
		}, {
			name: "inlined by hand",
			old:  "package p\n\nfunc F() {\n\thelp()\n}\n\nfunc help() {\n\tx := &T{} // 1\n\tkeep(x)\n}\n",
			new:  "package p\n\nfunc F() {\n\tx := &T{} // 1\n\tkeep(x)\n}\n",
		}, {
			name: "callee inlined by the compiler",
			old: begin + "\tb := bytes.NewBuffer(data) // 1 allocated inside bytes.NewBuffer, which is called " +
				"here\n}\n",
			new: begin + "\tb := bytes.NewBuffer(data) // 1 the bytes.Buffer moves to the heap\n}\n",
			want: "reason a.go:4 → a.go:4 1 → 1 (allocated inside bytes.NewBuffer, which is called here → the " +
				"bytes.Buffer moves to the heap)",
		}, {
			name: "renamed function",
			old: "package p\n\nfunc render(n int) {\n\tlog(n)\n\tx := make([]int, n) // 1\n\tx = grow(x) // 2\n" +
				"\tkeep(x)\n}\n",
			new: "package p\n\nfunc Render(n int) {\n\tlog(n)\n\tx := make([]int, n) // 1\n\tx = grow(x) // 3\n" +
				"\tkeep(x)\n}\n",
			want: "more a.go:6 → a.go:6 2 → 3", more: true,
		}, {
			name: "renamed function, line edited",
			old: "package p\n\nfunc render(n int) {\n\tlog(n)\n\tif n == 0 {\n\t\tpanic(n)\n\t}\n" +
				"\tx := make([]int, n) // 1\n\tkeep(x)\n}\n",
			new: "package p\n\nfunc Render(n int) {\n\tlog(n)\n\tif n == 0 {\n\t\tpanic(n)\n\t}\n\tx := " +
				"make([]int, n, 2*n) // 1\n\tkeep(x)\n}\n",
			// If only an edited line of a function is known, nothing shows that it is the same function.
			without: "started none → a.go:8 0 → 1\nstopped a.go:8 → none 1 → 0",
		}, {
			name: "renamed file",
			old: "== old.go\npackage p\n\nfunc F(n int) {\n\tx := make([]int, n) // 1\n\tx = grow(x) // 2\n" +
				"\tkeep(x)\n}\n",
			new: "== new.go\npackage p\n\n\nfunc F(n int) {\n\tx := make([]int, n) // 1\n\tx = grow(x) // 1\n" +
				"\tkeep(x)\n}\n",
			want: "fewer old.go:5 → new.go:6 2 → 1",
		}, {
			name: "function moved behind another",
			old:  "package p\n\nfunc F() {\n\treturn new(T) // 1\n}\n\nfunc G() {\n\treturn new(T) // 2\n}\n",
			new:  "package p\n\nfunc G() {\n\treturn new(T) // 2\n}\n\nfunc F() {\n\treturn new(T) // 1\n}\n",
		}, {
			name: "reason changed, same count",
			old:  begin + "\tx := new(T) // 1 it is returned\n}\n",
			new:  begin + "\tx := new(T) // 1 it is stored in an interface\n}\n",
			want: "reason a.go:4 → a.go:4 1 → 1 (it is returned → it is stored in an interface)",
		}, {
			name: "gone with its function",
			old:  "package p\n\nfunc F() {\n\tx := new(T) // 1\n\tG()\n}\n\nfunc G() {\n\tm[k] = v // 2\n}\n",
			new:  "package p\n\nfunc F() {\n\tx := new(T) // 1\n}\n",
			want: "stopped a.go:9 → none 2 → 0",
		}, {
			name: "outside of functions",
			old:  "package p\n\nvar table = build(1) // 1\n",
			new:  "package p\n\nimport \"x\"\n\nvar table = build(1) // 2\n",
			want: "more a.go:3 → a.go:5 1 → 2", more: true,
		}, {
			name: "does not parse",
			old:  "package p\n\nfunc F( {\n\tx := new(T) // 1\n",
			new:  "package p\n\nfunc F( {\n\n\tx := new(T) // 2\n",
			want: "more a.go:4 → a.go:5 1 → 2", more: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, new := made(t, test.old), made(t, test.new)
			c := compared(t, old, new)
			want := test.want
			if got := outline(c); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if c.More != test.more {
				t.Errorf("more: %v", c.More)
			}
			old.Source, new.Source = nil, nil
			if test.without != "" {
				want = test.without
			}
			if got := outline(compared(t, old, new)); got != want {
				t.Errorf("without the texts, got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// compared compares, and proves that no line's change is lost and none counted twice.
func compared(t *testing.T, old, new Side) *Comparison {
	t.Helper()
	c, err := Compare(old, new)
	if err != nil {
		t.Fatal(err)
	}
	sums(t, c)
	return c
}

// sums proves that the changes of the lines, and the changes that belong to no line, add up to the changes of the
// benchmarks.
func sums(t *testing.T, c *Comparison) {
	t.Helper()
	for _, b := range c.Benchmarks {
		allocs, bytes := b.Elsewhere.AllocsPerOp, b.Elsewhere.BytesPerOp
		for _, l := range c.Lines {
			if l.Benchmark == b.Name {
				allocs += l.AllocsPerOp
				bytes += l.BytesPerOp
			}
		}
		for _, f := range []struct {
			unit       string
			sum        float64
			difference Exact
		}{{"allocs/op", allocs, b.Allocs}, {"B/op", bytes, b.Bytes}} {
			if d := f.difference.New - f.difference.Old; math.Abs(d-f.sum) > 2e-6*max(1, f.difference.Old,
				f.difference.New) {
				t.Errorf("%s: the lines' changes sum up to %g %s, the benchmark's is %g", b.Name, f.sum, f.unit, d)
			}
		}
	}
}

// TestElsewhere proves that a comparison reports allocations that the benchmark counts and no line has.
func TestElsewhere(t *testing.T) {
	old, new := made(t, begin+"\tx := new(T) // 1\n}\n"), made(t, begin+"\tx := new(T) // 2\n}\n")
	new.Verdict.Benchmarks[0].AllocsPerOp = 5
	c := compared(t, old, new)
	if e := c.Benchmarks[0].Elsewhere; e.AllocsPerOp != 3 || e.BytesPerOp != 0 {
		t.Errorf("elsewhere %+v", e)
	}
	if !slices.ContainsFunc(c.Remarks(), func(r string) bool {
		return strings.Contains(r, "BenchmarkF: +3 allocs/op and 0 B/op of the change are not on any line")
	}) {
		t.Errorf("%q", c.Remarks())
	}
}

// TestMore lists the differences with which a comparison reports that something allocates more.
func TestMore(t *testing.T) {
	base := begin + "\tx := new(T) // 2\n\tlog(x)\n\ty := make([]int, n) // 1\n}\n"
	for _, test := range []struct {
		name   string
		change func(old, new *verdict.Verdict)
		want   bool
	}{
		{"nothing", func(_, _ *verdict.Verdict) {}, false},
		{"a line, less elsewhere", func(_, v *verdict.Verdict) {
			v.Allocations[0].AllocsPerOp, v.Allocations[1].AllocsPerOp = 1, 2
		}, true},
		{"bytes alone", func(_, v *verdict.Verdict) { v.Allocations[0].BytesPerOp++; v.Benchmarks[0].BytesPerOp++ },
			true},
		{"bytes, but fewer allocations", func(_, v *verdict.Verdict) {
			v.Allocations[0].AllocsPerOp, v.Allocations[0].BytesPerOp = 1, 400
			v.Benchmarks[0].AllocsPerOp, v.Benchmarks[0].BytesPerOp = 2, 416
		}, false},
		{"the benchmark, and no line", func(_, v *verdict.Verdict) { v.Benchmarks[0].AllocsPerOp++ }, true},
		{"lines that share tiny objects trade them", func(_, v *verdict.Verdict) {
			v.Allocations[0].AllocsPerOp, v.Allocations[1].AllocsPerOp = 1.5, 1.5
			v.Allocations[0].Shared, v.Allocations[1].Shared = true, true
		}, false},
		{"rounding", func(_, v *verdict.Verdict) { v.Allocations[0].AllocsPerOp += 1e-12 }, false},
		{"slower", func(_, v *verdict.Verdict) { v.Benchmarks[0].NsPerOp *= 100 }, false},
	} {
		old, new := made(t, base), made(t, base)
		test.change(old.Verdict, new.Verdict)
		if c := compared(t, old, new); c.More != test.want {
			t.Errorf("%s: more is %v, lines\n%s", test.name, c.More, outline(c))
		}
	}
}

// TestOnce proves for any texts, and without texts, that every line that allocates is in exactly one group, that the
// sums hold, and that a side does not differ from itself.
func TestOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		old, new := made(t, program(rng)), made(t, program(rng))
		for _, texts := range []bool{true, false} {
			if !texts {
				old.Source, new.Source = nil, nil
			}
			groups := MatchLines(old, new)
			once(t, old, groups, func(g Group) []Place { return g.Old })
			once(t, new, groups, func(g Group) []Place { return g.New })
			compared(t, old, new)
			if c := compared(t, new, new); len(c.Lines) > 0 || c.More {
				t.Errorf("differs from itself:\n%s", outline(c))
			}
		}
		if t.Failed() {
			return
		}
	}
}

// once proves that groups have each line of a side that allocates, and none twice.
func once(t *testing.T, s Side, groups []Group, side func(Group) []Place) {
	t.Helper()
	count := map[position]int{}
	for _, g := range groups {
		for _, p := range side(g) {
			count[position{p.File, p.Line}]++
		}
	}
	for p, n := range count {
		if n > 1 {
			t.Errorf("%v is in %d groups", p, n)
		}
	}
	for _, a := range s.Verdict.Allocations {
		if count[position{a.File, a.Line}] == 0 {
			t.Errorf("%s:%d is lost", a.File, a.Line)
		}
	}
}

// program is some functions of lines that are drawn from few words, so that many are alike.
func program(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("package p\n")
	for range 1 + rng.IntN(4) {
		fmt.Fprintf(&b, "func F%d() {\n", rng.IntN(8))
		for range rng.IntN(12) {
			b.WriteString("\t")
			for range 1 + rng.IntN(4) {
				fmt.Fprintf(&b, "%c ", 'a'+rng.IntN(5))
			}
			fmt.Fprintf(&b, " // %d\n", rng.IntN(3))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// BenchmarkCompare compares two versions of a package of 20,000 lines, of which 3,000 allocate and 1,000 were edited.
func BenchmarkCompare(b *testing.B) {
	version := func(edited int) Side {
		var text strings.Builder
		text.WriteString("package p\n")
		for f := range 1000 {
			fmt.Fprintf(&text, "func F%d(n int) {\n", f)
			for l := range 18 {
				fmt.Fprintf(&text, "\tx%d := f%d(n)", l, l)
				if l == f%18 {
					fmt.Fprintf(&text, ".more(%d)", edited)
				}
				if l%6 == 0 {
					text.WriteString(" // 1")
				}
				text.WriteString("\n")
			}
			text.WriteString("}\n")
		}
		return made(b, text.String())
	}
	old, new := version(1), version(2)
	b.ReportAllocs()
	for b.Loop() {
		if c, err := Compare(old, new); err != nil || len(c.Lines) > 0 || c.Unchanged != 3000 {
			b.Fatal(err, len(c.Lines), c.Unchanged)
		}
	}
}

func TestDeclared(t *testing.T) {
	for name, want := range map[string]string{
		"Replace": "Replace", "Replace.func1": "Replace", "Replace.func1.2": "Replace",
		"Replace.func2.1.func3": "Replace",
		"Replace.gowrap1":       "Replace", "Replace.deferwrap2": "Replace", "Replace-range1": "Replace",
		"T.Read": "T.Read", "(*T).Read": "T.Read", "(*T).Read-fm": "T.Read", "(*T[...]).Read.func1": "T.Read",
		"Map[...]": "Map", "Map[go.shape.int,go.shape.string].func1": "Map", "T.function": "T.function",
		"init": "", "init.func1": "", "glob..func1": "", "init.0": "init", "init.1.func2": "init", "initial": "initial",
	} {
		if got := declared(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
