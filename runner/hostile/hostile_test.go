package hostile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/runner/settings"
)

// A hostile is a program that a stranger may send, with the answers that are allowed.
type hostile struct {
	name, body string
	endings    []ending
}

// An ending is the expected answer of /compile.
type ending struct {
	errors  string // in Errors; "" for none at all
	printed string // what all events say together
	partly  bool   // whether printed is only a part of that
	status  int
}

// prints returns the ending of a program that prints exactly this text and exits with status 0.
func prints(text string) []ending { return []ending{{printed: text}} }

// ends returns the ending of a program that prints exactly this text.
func ends(status int, text string) []ending { return []ending{{printed: text, status: status}} }

// exits returns the ending of a program that prints this text, and perhaps more.
func exits(status int, printed string) []ending {
	return []ending{{printed: printed, partly: true, status: status}}
}

// fails returns the ending of a program that does not build, or whose output is not shown.
func fails(errors string) []ending { return []ending{{errors: errors}} }

// oneOf is for programs whose ending depends on the machine.
func oneOf(endings ...[]ending) []ending { return slices.Concat(endings...) }

// stoppedInTime is what the sandbox prints for a program that ran for longer than shortRuns allows.
var stoppedInTime = execution.Stop{Kind: execution.RunTime, Time: shortRuns.run}.Note()

// The endings at a limit.
var (
	outOfTime      = ends(1, stoppedInTime)
	outOfTimeLater = exits(1, stoppedInTime) // after it has printed, such as a part of the trace of outOfMemory
	outOfMemory    = exits(2, "fatal error: out of memory")
	stackOverflow  = exits(2, "fatal error: stack overflow")
	tooMuchOutput  = []ending{{errors: programs.OutputTooLarge, partly: true}} // the beginning is shown
	outOfBuildTime = fails(programs.BuildTimeout)
	tooMuchToBuild = fails("go build " + needed + "\n")
)

// repeat is short for use in sources.
var repeat = strings.Repeat

// main_ returns a main package with these declarations.
func main_(declarations string) string { return "package main\n\n" + declarations + "\n" }

// uses returns a main package that also imports packages, which are separated by spaces.
func uses(imports, declarations string) string {
	var b strings.Builder
	for path := range strings.FieldsSeq(imports) {
		b.WriteString("import \"" + path + "\"\n")
	}
	return main_(b.String() + "\n" + declarations)
}

// does returns a main package whose main function has these statements.
func does(imports, statements string) string {
	return uses(imports, "func main() {\n"+statements+"\n}")
}

// withMod returns a main package with its own go.mod.
func withMod(declarations, mod string) string { return main_(declarations) + "-- go.mod --\n" + mod }

// brief returns the programs whose build and run end by themselves, or at a limit that is reached soon.
func brief() []hostile { return slices.Concat(runs, touches, sources, modules, fileNames) }

// hostiles returns all hostile programs.
func hostiles() []hostile { return slices.Concat(endlessRuns, endlessSources, brief()) }

// The names of the programs that make test and make proof send, one for each limit. TestHostile sends oneOfEach, which
// soon reach their limit. TestProofHostile sends oneOfEachTime, which only a time limit ends. In make test, package
// api's TestOutOfTime and TestLimitsOfAllBuilds test the time limits.
var (
	oneOfEach = []string{"a constant that doubles", "prints without end", "allocates without end",
		"recurses without end"}
	oneOfEachTime = []string{"loops", "deep types"}
)

// An attack is a request of a hostile client, and what its answer has to be.
type attack struct {
	name   string
	limits timeLimits // the limits under which only its own limit ends it
	test   func(*testing.T, *target)
}

// TestHostile sends to a target one program for each limit that is soon reached, one solution, a bomb, and programs
// that look for the machine. Each gets the answer of its limit. Afterwards a program runs as before, nothing is left
// over, and the server has not taken more memory than it may.
func TestHostile(t *testing.T) {
	attackTargets(t, slices.Concat(
		programAttacks(func(h hostile) bool { return slices.Contains(oneOfEach, h.name) }),
		endpointAttacks(endpointCases[:1]),
		solutionAttacks(solutionsNamed(allocating)), hostAttacks), "--engine", nativeEngine(t))
}

// TestProofHostile does the same with a program for each time limit, and with the other programs that reach an
// endpoint's own limit, and the other solutions of which there is one for each limit.
func TestProofHostile(t *testing.T) {
	each, _ := hostileSolutions()
	attackTargets(t, slices.Concat(
		programAttacks(func(h hostile) bool { return slices.Contains(oneOfEachTime, h.name) }),
		endpointAttacks(endpointCases[1:]),
		solutionAttacks(slices.DeleteFunc(each, func(h hostileSolution) bool { return h.name == allocating }))),
		"--engine", nativeEngine(t))
}

// TestNightlyHostile does the same with all others.
func TestNightlyHostile(t *testing.T) {
	_, more := hostileSolutions()
	sent := slices.Concat(oneOfEach, oneOfEachTime)
	attackTargets(t, slices.Concat(
		programAttacks(func(h hostile) bool { return !slices.Contains(sent, h.name) }),
		endpointAttacks(moreEndpointCases),
		solutionAttacks(more)), "--engine", nativeEngine(t))
}

// nativeEngine returns EngineConfined, or EngineWasm where processes cannot be confined.
func nativeEngine(t *testing.T) string {
	if err := sandbox.Confinable(); err != nil {
		t.Run("confined", func(t *testing.T) { t.Skipf("NOT TESTED: solutions in confined processes: %v", err) })
		return settings.EngineWasm
	}
	return settings.EngineConfined
}

// allocating is the solution that TestHostile and TestProofHostileOnWasm send.
const allocating = "allocates without end"

// TestProofHostileOnWasm sends one solution to a server that runs its tests as WebAssembly, where a check takes ten times as
// long as in a confined process.
func TestProofHostileOnWasm(t *testing.T) {
	attackTargets(t, solutionAttacks(solutionsNamed(allocating)), "--engine", settings.EngineWasm)
}

// TestNightlyHostileOnWasm does the same with all others.
func TestNightlyHostileOnWasm(t *testing.T) {
	each, more := hostileSolutions()
	sent := slices.DeleteFunc(slices.Concat(each, more), func(h hostileSolution) bool { return h.name == allocating })
	attackTargets(t, solutionAttacks(sent), "--engine", settings.EngineWasm)
}

// attackTargets starts a target for each kind of limits with these flags, and sends it the attacks, two at a time.
func attackTargets(t *testing.T, attacks []attack, flags ...string) {
	t.Setenv("RUNNER_TEST_SECRET", "secret")
	for _, c := range []struct {
		name   string
		limits timeLimits
	}{{"unlimited", unlimited}, {"short runs", shortRuns}, {"short builds", shortBuilds}} {
		sent := slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool { return a.limits != c.limits })
		if len(sent) == 0 {
			continue
		}
		r := startTarget(t, c.limits, flags...)
		t.Run(c.name, func(t *testing.T) {
			for _, a := range sent {
				t.Run(a.name, func(t *testing.T) {
					t.Parallel()
					a.test(t, r)
				})
			}
		})
		r.stop(t)
	}
}

// programAttacks sends the chosen programs to /compile.
func programAttacks(chosen func(hostile) bool) (attacks []attack) {
	for _, c := range []struct {
		limits   timeLimits
		programs []hostile
	}{{unlimited, brief()}, {shortRuns, endlessRuns}, {shortBuilds, endlessSources}} {
		for _, h := range c.programs {
			if chosen(h) {
				attacks = append(attacks, attack{"/compile " + h.name, c.limits, h.test})
			}
		}
	}
	return attacks
}

func (h hostile) test(t *testing.T, r *target) {
	got := r.compile(t, h.body)
	printed := printed(got, "stdout", "stderr")
	if strings.Contains(got.Errors+printed, "secret") {
		t.Error("the answer contains the server's environment")
	}
	if !slices.ContainsFunc(h.endings, func(e ending) bool { return e.of(got) }) {
		t.Errorf("errors %.500q, status %d, printed %.2000q; want %.2000q", got.Errors, got.Status, printed,
			fmt.Sprintf("%+v", h.endings))
	}
}

// of reports whether a program ended in this way.
func (e ending) of(r programs.Response) bool {
	printed := printed(r, "stdout", "stderr")
	return (e.errors == "") == (r.Errors == "") && strings.Contains(r.Errors, e.errors) && r.Status == e.status &&
		(printed == e.printed || e.partly && strings.Contains(printed, e.printed))
}

// TestHostileTable tests that each program has its own name, and is small enough to be sent.
func TestHostileTable(t *testing.T) {
	known := map[string]bool{}
	for _, h := range hostiles() {
		if known[h.name] {
			t.Errorf("two programs are called %q", h.name)
		}
		known[h.name] = true
		if n := len(h.body); n > maxProgram {
			t.Errorf("%s has %d bytes, too many to be sent", h.name, n)
		}
	}
	for _, name := range slices.Concat(oneOfEach, oneOfEachTime) {
		if !known[name] {
			t.Errorf("no program is called %q", name)
		}
	}
}
