package step_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"onthestack/internal/execution"
	"onthestack/internal/step"
)

// at returns the last step at a line of the first file with one of the events, or fails.
func at(t *testing.T, d *step.Document, line int, event string) step.Step {
	t.Helper()
	for i := len(d.Steps) - 1; i >= 0; i-- {
		if s := d.Steps[i]; s.Line == line && s.Event == event {
			return s
		}
	}
	t.Fatalf("no step %q at line %d", event, line)
	return step.Step{}
}

// describe writes what a test is interested in: a line for each frame, slot and object.
func describe(d *step.Document, s step.Step) string {
	var b strings.Builder
	for _, f := range s.Stack {
		fmt.Fprintf(&b, "%s:%d inlined %s\n", d.Functions[f.Function].Name, f.Line, f.Inlined)
		for _, v := range f.Slots {
			fmt.Fprintf(&b, "  %s %s %s %s\n", v.Name, v.Type, v.Place, short(v.Value))
		}
	}
	for _, list := range [][]step.Object{s.Heap, s.Elsewhere} {
		for _, o := range list {
			fmt.Fprintf(&b, "#%d %s line %d %s %d B ×%d", o.ID, o.Place, o.Line, o.Type, o.Bytes, o.Count)
			if o.Garbage {
				b.WriteString(" garbage")
			}
			if o.Unseen {
				b.WriteString(" unseen")
			}
			b.WriteString(" " + short(o.Value) + "\n")
		}
	}
	return b.String()
}

// short writes a value on one line. Variables are named by their ids only where an object has that id.
func short(v step.Value) string {
	text := v.Kind
	if v.Text != "" {
		text = v.Text
	}
	if v.Type != "" {
		text += " " + v.Type
	}
	if v.Nil {
		text += " nil"
	}
	if v.To != nil {
		text += fmt.Sprintf(" →%d", v.To.ID)
		if v.To.Offset > 0 {
			text += fmt.Sprintf("+%d", v.To.Offset)
		}
	}
	if v.Len > 0 {
		text += fmt.Sprintf(" len %d", v.Len)
	}
	if v.Cap > 0 {
		text += fmt.Sprintf(" cap %d", v.Cap)
	}
	for i, e := range v.Elems {
		if i == 0 {
			text += " ["
		} else {
			text += ", "
		}
		text += short(e)
	}
	if len(v.Elems) > 0 {
		text += "]"
	}
	for i, c := range v.Captures {
		text += fmt.Sprintf(" %s→%d", v.Names[i], c.ID)
	}
	return text
}

const header = "package main\n\n" // so that the code of each test begins on line 3

// rare are the cases that TestProofSteps and TestProofEnds have. A change is unlikely to break one of them and none of
// the others.
var rare = []string{
	"a pointer is passed down", "a later line moves a variable", "a large closure", "a slice of an array",
	"the branches of a type switch", "pointers to a map, a channel and a func", "defer and recover", "generic",
	"shadowed variables", "strings", "endless loop without a statement", "main returns",
}

func TestSteps(t *testing.T) { testSteps(t, false) }

func TestProofSteps(t *testing.T) { testSteps(t, true) }

func testSteps(t *testing.T, proof bool) {
	t.Helper()
	golden := readGolden(t)
	for _, c := range []struct {
		name, code string
		line       int
		event      string
	}{
		{"the address of a variable is returned", `//go:noinline
func f() *int {
	x := 7
	return &x
}

func main() {
	p := f()
	*p = 8
}`, 11, step.Executed},
		{"a pointer is passed down", `//go:noinline
func set(p *int) { *p = 2 }

func main() {
	x := 1
	set(&x)
}`, 8, step.Executed},
		{"a later line moves a variable", `var sink *int

func main() {
	x := 1
	x++
	sink = &x
}`, 7, step.Executed},
		{"the constructor is inlined", `type point struct{ x, y int }

func newPoint() *point { return &point{1, 2} }

func main() {
	p := newPoint()
	p.x = 3
}`, 9, step.Executed},
		{"an interface has a box", `var sink any

var n = 1000

func main() {
	sink = n
	println()
}`, 9, step.Executed},
		{"append grows", `var sink []int

func main() {
	s := make([]int, 0, 4)
	for i := range 5 {
		s = append(s, i)
	}
	sink = s
}`, 10, step.Executed},
		{"a closure captures", `var sink func() int

func main() {
	n := 1
	sink = func() int { n++; return n }
	sink()
}`, 8, step.Executed},
		{"a map grows", `func main() {
	m := map[int]int{}
	for i := range 9 {
		m[i] = i
	}
}`, 6, step.Executed},
		{"goroutines", `func main() {
	c := make(chan int)
	go func(n int) {
		c <- n
	}(5)
	println(<-c)
}`, 6, step.Executed},
		{"garbage", `var sink *[4]int

func main() {
	sink = new([4]int)
	sink = new([4]int)
	sink = nil
}`, 8, step.Executed},
		{"a large closure", `var sink func() int

func main() {
	big := [8]int{7}
	sink = func() int { return big[0] }
	sink()
}`, 8, step.Executed},
		{"strings", `var sink string

func main() {
	s := "abc"
	t := s + sink
	sink = t + "def"
	t = ""
}`, 9, step.Executed},
		{"a slice of an array", `func main() {
	a := [4]int{1, 2, 3, 4}
	s := a[1:3]
	p := &s[1]
	*p = 9
}`, 7, step.Executed},
		{"a method with a pointer receiver, and a struct with pointers", `type list struct {
	next *list
	val  any
}

func (l *list) push(v any) *list { return &list{l, v} }

func main() {
	var l *list
	l = l.push(1).push("x")
	l = l.next
}`, 13, step.Executed},
		{"the branches of a type switch", `func main() {
	var v any = 5.5
	switch v := v.(type) {
	case int:
		println(v)
	case float64:
		println(v)
	}
}`, 9, step.Executed},
		{"pointers to a map, a channel and a func", `func main() {
	m := map[int]int{1: 2}
	c := make(chan int, 1)
	f := func() int { return len(m) }
	pm, pc, pf := &m, &c, &f
	(*pm)[2] = (*pf)()
	*pc <- 3
}`, 9, step.Executed},
		{"recursion", `func fact(n int) int {
	if n < 2 {
		return 1
	}
	return n * fact(n-1)
}

func main() {
	println(fact(3))
}`, 5, step.Returned},
		{"defer and recover", `func safe() (err any) {
	defer func() {
		err = recover()
	}()
	panic("oh")
}

func main() {
	println(safe() != nil)
}`, 7, step.Returned},
		{"generic", `type pair[A, B any] struct {
	a A
	b B
}

//go:noinline
func make2[A, B any](a A, b B) *pair[A, B] { return &pair[A, B]{a, b} }

func main() {
	p := make2("x", 2)
	p.b++
}`, 12, step.Executed},
		{"shadowed variables", `func main() {
	x := 1
	{
		x := 2
		x++
	}
	x++
}`, 7, step.Executed},
	} {
		if slices.Contains(rare, c.name) != proof {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := steps(t, header+c.code+"\n")
			golden.compare(t, c.name, describe(d, at(t, d, c.line, c.event)))
		})
	}
}

var update = flag.Bool("update", false, "write what the tests get into testdata/steps.txtar")

// A golden is the expected pictures, by the name of the test.
type golden struct {
	mu      sync.Mutex
	archive *txtar.Archive
}

const goldenFile = "testdata/steps.txtar"

func readGolden(t *testing.T) *golden {
	t.Helper()
	archive, err := txtar.ParseFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		t.Cleanup(func() {
			slices.SortFunc(archive.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
			if err := os.WriteFile(goldenFile, txtar.Format(archive), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	return &golden{archive: archive}
}

func (g *golden) compare(t *testing.T, name, got string) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.IndexFunc(g.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if *update {
		if i < 0 {
			i = len(g.archive.Files)
			g.archive.Files = append(g.archive.Files, txtar.File{Name: name})
		}
		g.archive.Files[i].Data = []byte(got)
		return
	}
	if i < 0 || string(g.archive.Files[i].Data) != got {
		want := "nothing"
		if i >= 0 {
			want = string(g.archive.Files[i].Data)
		}
		t.Errorf("got\n%s\nwant\n%s\ngo test -run %s -update writes it", got, want, t.Name())
	}
}

// shortly is the time of a program that would not end by itself.
const shortly = 100 * time.Millisecond

func TestEnds(t *testing.T) { testEnds(t, false) }

func TestProofEnds(t *testing.T) { testEnds(t, true) }

func testEnds(t *testing.T, proof bool) {
	t.Helper()
	for _, c := range []struct {
		name, code string
		kind       string
		message    string
		lines      int // that allocated, -1 if that is not known
	}{
		{"main returns", "func main() { println(1) }", step.EndReturned, "the program ended", 0},
		{"panic", "func main() {\n\tpanic(\"oh\")\n}", step.EndPanicked, "panic: oh", 0},
		{"exit", "import \"os\"\n\nfunc main() {\n\tsink = new(int)\n\tos.Exit(3)\n}\n\nvar sink *int", step.EndExited,
			"the program exited with code 3", 1},
		{"deadlock", "func main() {\n\tc := make(chan int)\n\t<-c\n}", step.EndPanicked,
			"fatal error: all goroutines are asleep - deadlock!", 1},
		{"endless loop", "func main() {\n\tn := 0\n\tfor {\n\t\tn++\n\t}\n}", step.EndSteps,
			"the program has more than 1000 steps: these are the first", -1},
		{"endless loop without a statement", "func main() {\n\tprintln()\n\tfor {\n\t}\n}", step.EndSteps,
			"the program has more than 1000 steps: these are the first", -1},
		{"recursion without end", "func f(n int) int { return f(n + 1) + 1 }\n\nfunc main() { f(0) }", step.EndSteps,
			"the program nests more than 100 calls: these are the steps before", -1},
	} {
		if slices.Contains(rare, c.name) != proof {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := stepper(t, time.Minute)
			if c.lines < 0 {
				s.Recorder = &endless{recording: s.Recorder, measuring: stepper(t, shortly).Recorder}
				s.Picture = func(*step.Document) {} // the program is measured after it was recorded
			}
			d, err := s.Steps(t.Context(), header+c.code+"\n")
			if err != nil || d.Errors != "" {
				t.Fatal(err, d)
			}
			if d.End.Kind != c.kind || d.End.Message != c.message {
				t.Errorf("got  %+v\nwant %s %s", d.End, c.kind, c.message)
			}
			if last := d.Steps[len(d.Steps)-1]; last.Event != step.Ended {
				t.Errorf("the last step is %q", last.Event)
			}
			if c.lines < 0 != (d.Unmeasured != "") || c.lines >= 0 && len(d.Lines) != c.lines {
				t.Errorf("%+v, unmeasured %q, want %d", d.Lines, d.Unmeasured, c.lines)
			}
			if (d.Cut != "") != (c.kind == step.EndSteps) {
				t.Errorf("cut %q", d.Cut)
			}
		})
	}
}

// An endless Recorder is for a program that does not end. The recording, which is the first run, ends by itself, at the
// limit on steps, however long that takes. The second, which measures the unchanged program, takes all the time that it
// has.
type endless struct {
	recording, measuring step.Recorder
	runs                 int
}

// Record implements step.Recorder.
func (e *endless) Record(ctx context.Context, binary string) (*execution.Recording, error) {
	if e.runs++; e.runs == 1 {
		return e.recording.Record(ctx, binary)
	}
	return e.measuring.Record(ctx, binary)
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a type error", header + "func main() { x() }\n", "./prog.go:3:15: undefined: x\n"},
		{"an unused variable", header + "func main() { x := 1 }\n", "./prog.go:3:15: declared and not used: x\n"},
		{"tests", header + "import \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
			"there is no main function: only a program with one can be stepped through\n"},
		{"nothing", "", "there is no program: it is empty\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := stepper(t, time.Minute).Steps(t.Context(), c.body)
			if err != nil || d.Errors != c.want {
				t.Errorf("%v\ngot  %q\nwant %q", err, d.Errors, c.want)
			}
		})
	}
}
