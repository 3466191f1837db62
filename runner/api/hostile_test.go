package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/execution"
	"onthestack/internal/playground"
)

// A hostile is a program that a stranger may send, with what its answer may be.
type hostile struct {
	name, body string
	endings    []ending
}

// An ending is an answer of /compile.
type ending struct {
	errors  string // in Errors; "" for none at all
	printed string // what all events say together
	partly  bool   // printed is a part of that
	status  int
}

// prints is the ending of a program that prints this and nothing else, and ends well.
func prints(text string) []ending { return []ending{{printed: text}} }

// ends is that of one that prints this and nothing else.
func ends(status int, text string) []ending { return []ending{{printed: text, status: status}} }

// exits is that of a program that prints this, or more.
func exits(status int, printed string) []ending {
	return []ending{{printed: printed, partly: true, status: status}}
}

// fails is that of a program which does not build, or whose output is not shown.
func fails(errors string) []ending { return []ending{{errors: errors}} }

// either is for what depends on the machine.
func either(endings ...[]ending) []ending { return slices.Concat(endings...) }

// stoppedInTime is what the sandbox prints for a program that ran longer than hurriesRuns lets it.
var stoppedInTime = execution.Stop{Kind: execution.RunTime, Time: hurriesRuns.run}.Note()

// The endings at a limit.
var (
	outOfTime      = ends(1, stoppedInTime)
	outOfTimeLater = exits(1, stoppedInTime) // after it has printed
	outOfMemory    = exits(2, "fatal error: out of memory")
	stackOverflow  = exits(2, "fatal error: stack overflow")
	tooMuchOutput  = []ending{{errors: playground.OutputTooLarge, partly: true}} // the beginning is shown
	outOfBuildTime = fails(playground.BuildTimeout)
	tooMuchToBuild = fails("go build " + needed + "\n")
)

// repeat is for sources.
var repeat = strings.Repeat

// main_ is a main package of these declarations.
func main_(declarations string) string { return "package main\n\n" + declarations + "\n" }

// uses is one that imports packages, separated by spaces.
func uses(imports, declarations string) string {
	var b strings.Builder
	for path := range strings.FieldsSeq(imports) {
		b.WriteString("import \"" + path + "\"\n")
	}
	return main_(b.String() + "\n" + declarations)
}

// does is one whose main function does this.
func does(imports, statements string) string {
	return uses(imports, "func main() {\n"+statements+"\n}")
}

// withMod is a program with a go.mod of its own.
func withMod(declarations, mod string) string { return main_(declarations) + "-- go.mod --\n" + mod }

// brief are those whose build and run end by themselves, or at a limit that is soon reached.
func brief() []hostile { return slices.Concat(runs, touches, sources, modules, fileNames) }

// hostiles are all of them.
func hostiles() []hostile { return slices.Concat(endlessRuns, endlessSources, brief()) }

// oneOfEach are the names of those that TestHostile sends: one for each limit, and for each kind of thing that is not the program's.
var oneOfEach = []string{
	"loops", "deep types", "a constant that doubles", "prints without end", "allocates without end", "recurses without end",
	"deadlocks", "exits with 3", "kills itself", "writes through nil", "has a test that exits",
	"reads the environment", "writes out of its memory", "imports the host's functions",
	"a huge constant", "NUL", "nothing but binary", "cgo", "assembly",
	"embeds an absolute name", "imports this repository", "imports what no proxy has", "replaces by an absolute folder",
	"wants another release", "has flags as an experiment", "a flag for a name", "a name with ..", "thousands of files",
}

// TestHostile has servers build and run one program of each kind, two at a time. Each gets the answer of its limit, and afterwards
// a program runs as before, nothing is left, and the server has taken no more memory than it may.
func TestHostile(t *testing.T) {
	testHostile(t, func(h hostile) bool { return slices.Contains(oneOfEach, h.name) })
}

// TestProofHostile does the same with all other programs.
func TestProofHostile(t *testing.T) {
	testHostile(t, func(h hostile) bool { return !slices.Contains(oneOfEach, h.name) })
}

func testHostile(t *testing.T, chosen func(hostile) bool) {
	t.Setenv("RUNNER_TEST_SECRET", "secret")
	for _, c := range []struct {
		name     string
		patience patience
		programs []hostile
	}{
		{"brief", patient, brief()},
		{"endless runs", hurriesRuns, endlessRuns},
		{"endless builds", hurriesBuilds, endlessSources},
	} {
		programs := slices.DeleteFunc(slices.Clone(c.programs), func(h hostile) bool { return !chosen(h) })
		r := enter(t, c.patience)
		t.Run(c.name, func(t *testing.T) {
			for _, h := range programs {
				t.Run(h.name, func(t *testing.T) {
					t.Parallel()
					h.test(t, r)
				})
			}
		})
		r.leave(t)
	}
}

func (h hostile) test(t *testing.T, r *room) {
	got := r.compile(t, h.body)
	printed := printed(got, "stdout", "stderr")
	if strings.Contains(got.Errors+printed, "secret") {
		t.Error("the answer shows the server's environment")
	}
	if !slices.ContainsFunc(h.endings, func(e ending) bool { return e.of(got) }) {
		t.Errorf("errors %.500q, status %d, printed %.2000q; want %.2000q", got.Errors, got.Status, printed, fmt.Sprintf("%+v", h.endings))
	}
}

// of reports whether a program ended like this.
func (e ending) of(r playground.Response) bool {
	printed := printed(r, "stdout", "stderr")
	return (e.errors == "") == (r.Errors == "") && strings.Contains(r.Errors, e.errors) && r.Status == e.status &&
		(printed == e.printed || e.partly && strings.Contains(printed, e.printed))
}

// TestHostileTable holds that each program is looked at, and for its own sake.
func TestHostileTable(t *testing.T) {
	known := map[string]bool{}
	for _, h := range hostiles() {
		if known[h.name] {
			t.Errorf("two programs are called %q", h.name)
		}
		known[h.name] = true
		if n := len(h.body); n > maxProgram {
			t.Errorf("%s has %d bytes: nobody looks at it", h.name, n)
		}
	}
	for _, name := range oneOfEach {
		if !known[name] {
			t.Errorf("no program is called %q", name)
		}
	}
}
