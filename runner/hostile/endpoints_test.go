package hostile

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/programs"
	"onthestack/internal/verdict"
	"onthestack/runner/settings"
)

// An endpointCase sends a program of the table to another endpoint that compiles, vets or formats it. errors is a
// part of the expected error, or "" if none is expected.
type endpointCase struct{ path, name, errors string }

// endpointCases has one case for each limit that is the endpoint's own, and moreEndpointCases has the others. The first
// one is the one of make test.
var endpointCases = []endpointCase{
	{"/fmt", "blocks in blocks", "prog.go: formatted, the program is larger than 1024 KiB"},
	{"/vet", "structures that double", "go vet took longer than " + shortBuilds.build.String() + " and was stopped\n"},
	{"/escape", "a report without end", "go build printed more than 4 MiB and was stopped\n"},
	{"/fmt", "a sum without end", "prog.go: formatting took longer than 3s and was stopped"},
}

var moreEndpointCases = []endpointCase{
	{"/vet", "loops", ""},
	{"/vet", "a huge constant", "./prog.go:3:16: invalid operation: invalid shift count 10000000"},
	{"/vet", "cgo", "./prog.go:3:8: import \"C\": there is no cgo here\n"},
	{"/vet", "imports this repository", "package onthestack/internal/verdict is not in std"},
	{"/vet", "prints without end", ""},
	{"/vet", "deep functions", "./prog.go:3:7002: exceeded max scope depth during object resolution\n"},
	{"/vet", "NUL", "./prog.go:3:14: illegal character NUL"},
	{"/vet", "a comment without end", "./prog.go:3:1: comment not terminated\n"},
	{"/vet", "a large binary", ""},
	{"/vet", "assembly", "\na.s: a program here is made of Go files only\n"},
	{"/vet", "embeds an absolute name", "./prog.go:5:12: pattern /etc/passwd: invalid pattern syntax\n"},
	{"/vet", "imports what no proxy has", "invalid.invalid/x"},
	{"/vet", "replaces by an absolute folder", "\ngo.mod:2: replacement /etc is not in the program\n"},
	{"/vet", "wants another release", "go: go.mod requires go >= 1.99 (running go"},
	{"/vet", "has a configuration", ""},
	{"/vet", "has flags as an experiment", "unknown GOEXPERIMENT \"x,GOFLAGS=-toolexec=/bin/false\"\n"},
	{"/vet", "a flag for a name", "invalid input file name \"-toolexec=x.go\"\n"},
	{"/vet", "a name with ..", `invalid file name "../x.go"`},
	{"/vet", "thousands of files", "too many files in txtar archive (5001 exceeds limit of 20)"},

	{"/escape", "loops", ""},
	{"/escape", "deep types", programs.BuildTimeout},
	{"/escape", "a constant that doubles", "go build " + needed + "\n"},
	{"/escape", "a name with ..", `invalid file name "../x.go"`},
	{"/escape", "prints without end", ""},
	{"/escape", "a huge constant", "./prog.go:3:16: invalid operation: invalid shift count 10000000"},
	{"/escape", "NUL", "./prog.go:3:14: invalid NUL character\n"},
	{"/escape", "cgo", "./prog.go:3:8: import \"C\": there is no cgo here\n"},
	{"/escape", "assembly", "a.s: a program here is made of Go files only\n"},
	{"/escape", "embeds an absolute name", "prog.go:5:12: pattern /etc/passwd: invalid pattern syntax\n"},
	{"/escape", "imports this repository", "package onthestack/internal/verdict is not in std"},
	{"/escape", "replaces by an absolute folder", "go.mod:2: replacement /etc is not in the program\n"},
	{"/escape", "wants another release", "go: go.mod requires go >= 1.99 (running go"},
	{"/escape", "has a configuration", ""},
	{"/escape", "has a benchmark without end", ""},
	{"/escape", "thousands of files", "too many files in txtar archive (5001 exceeds limit of 20)"},

	{"/fmt", "loops", ""},
	{"/fmt", "NUL", "prog.go:3:14: illegal character NUL"},
	{"/fmt", "thousands of files", "too many files in txtar archive (5001 exceeds limit of 20)"},
	{"/fmt", "deep types", ""},
	{"/fmt", "a longer line", ""},
	{"/fmt", "a comment without end", "prog.go:3:1: comment not terminated"},
	{"/fmt", "gives flags as a directive", "go.mod:3: unknown directive: flags"},
	{"/fmt", "embeds an absolute name", ""},
	{"/fmt", "a name with ..", `invalid file name "../x.go"`},
	{"/fmt", "a file that is a folder", `"x" is the name of a file and of a folder`},
}

// endpointAttacks sends the cases' programs to their endpoints.
func endpointAttacks(cases []endpointCase) (attacks []attack) {
	for _, k := range cases {
		attacks = append(attacks, attack{k.path + " " + k.name, k.limits(), k.test})
	}
	return attacks
}

// limits returns the limits of the target for the case: a short time for builds and runs that only a time limit ends.
// /fmt has its own time limit.
func (k endpointCase) limits() timeLimits {
	if k.path != "/fmt" && slices.ContainsFunc(endlessSources, func(h hostile) bool { return h.name == k.name }) {
		return shortBuilds
	}
	if k.path == "/escape" && k.name == "has a benchmark without end" { // /escape measures benchmarks
		return shortRuns
	}
	return unlimited
}

func (k endpointCase) test(t *testing.T, r *target) {
	a := r.form(t, k.path, hostileProgram(t, k.name))
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	if got := errorsOf(t, k.path, a); (got == "") != (k.errors == "") || !strings.Contains("\n"+got, k.errors) {
		t.Errorf("errors %.1000q, want %q", got, k.errors)
	}
}

// otherEndpoints has programs that are hostile to an endpoint other than /compile.
var otherEndpoints = map[string]string{
	"a report without end": main_("var kept any\n\nconst s = \"" + repeat("x", 8000) +
		"\"\n\nfunc f(x any) { kept = x; kept = s; kept = s }\n\nfunc main() {\n" + repeat("f(s)\n", 4000) + "}"),
	"a sum without end": main_("var x = 1" + repeat("+1", 30000)),
	"blocks in blocks":  main_(repeat("func f() {\n"+repeat("{\n", 900)+repeat("}\n", 901), 10)),
}

// hostileProgram returns the program with that name.
func hostileProgram(t testing.TB, name string) string {
	if body, ok := otherEndpoints[name]; ok {
		return body
	}
	all := hostiles()
	i := slices.IndexFunc(all, func(h hostile) bool { return h.name == name })
	if i < 0 {
		t.Fatal("there is no such program")
	}
	return all[i].body
}

// errorsOf returns the error in the answer of an endpoint.
func errorsOf(t *testing.T, path string, a answer) string {
	switch path {
	case "/fmt":
		got := decode[programs.Formatted](t, a)
		if (got.Body == "") == (got.Error == "") {
			t.Errorf("the answer has both a text and a mistake: %.1000s", a.body)
		}
		return got.Error
	case "/escape":
		got := decode[programs.Report](t, a)
		if got.Escapes == nil {
			t.Errorf("escapes is null, not empty: %s", a.body)
		}
		return got.Errors
	}
	got := decode[programs.Response](t, a)
	if got.Events != nil || got.Status != 0 {
		t.Errorf("the program ran: %.1000s", a.body)
	}
	return got.Errors
}

// A hostileSolution is a solution of exercise6 that reaches a limit, or reaches for something outside its package.
type hostileSolution struct {
	name, text  string
	stage, said string // said is a part of it
	limits      timeLimits
}

// hostileSolutions has one solution for each limit of tests, and more.
func hostileSolutions() (each, more []hostileSolution) {
	late := "ran longer than " + (settings.CheckTimes * shortRuns.run).String() + " and was stopped"
	starter := string(sealedExercises().Lookup("exercise6").Files["stream.go"])
	// The body of the function begins after the line of its signature.
	at := strings.Index(starter, "\nfunc ")
	at += strings.Index(starter[at:], "{\n") + 2
	inside := func(code string) string { return starter[:at] + code + "\n" + starter[at:] }
	after := func(code string) string { return starter + "\n" + code + "\n" }
	importing := func(path, code string) string {
		return strings.Replace(code, `"io"`, "\"io\"\n\t\""+path+"\"", 1)
	}
	each = []hostileSolution{
		{"loops after it has printed", inside("println(1); for { }"), verdict.StageTests,
			"the tests did not come to an end: the program " + late + "\n1\n", shortRuns},
		{"prints without end", inside("for { println(`a long line of output, a long line of output`) }"),
			verdict.StageTests,
			"printed more than 1 MiB and was stopped\na long line", unlimited},
		{"allocates without end", inside("for b := []byte{1}; ; b = append(b, b...) { }"), verdict.StageTests,
			"out of memory", unlimited},
		{"recurses without end", inside("Replace(data, find, repl, output)"), verdict.StageTests,
			"runtime: goroutine stack exceeds 16777216-byte limit\n", unlimited},
	}
	more = []hostileSolution{
		{"exits", importing("os", inside("os.Exit(0)")), verdict.StagePolicy, `import "os" is not allowed here`,
			unlimited},
		{"deep types", after("func f() { var x " + repeat("[]", 20000) + "int; _ = x }"), verdict.StageBuild,
			"the build took longer than " + shortBuilds.build.String() + " and was stopped", shortBuilds},
		{"a constant that doubles", after("const a = \"xxxxxxxxxxxxxxxx\"" + doubling(30)), verdict.StageBuild,
			"the build " + needed, unlimited},
		{"NUL", after("\x00"), verdict.StageBuild, "invalid NUL character", unlimited},
		{"deadlocks", inside("select {}"), verdict.StageTests, "fatal error: all goroutines are asleep - deadlock!\n",
			unlimited},
		{"writes through nil", inside("output = nil"), verdict.StageTests, "Replace panics", unlimited},
		{"ends its goroutine", importing("runtime", inside("runtime.Goexit()")), verdict.StagePolicy,
			`import "runtime" is not allowed here`, unlimited},
		{"writes where it wants", importing("unsafe", inside("_ = unsafe.Pointer(nil)")), verdict.StagePolicy,
			`import "unsafe" is not allowed here`, unlimited},
		{"cgo", importing("C", starter), verdict.StagePolicy, `import "C" is not allowed here`, unlimited},
		{"embeds a file", importing("embed", after("//go:embed /etc/passwd\nvar s string")), verdict.StagePolicy,
			`compiler directives are not allowed here: remove "//go:embed /etc/passwd"`, unlimited},
		{"a linkname", after("//go:linkname f runtime.exit\nfunc f(int)"), verdict.StagePolicy,
			`compiler directives are not allowed here`, unlimited},
		{"another goroutine", inside("go func() { for { } }()"), verdict.StagePolicy,
			"go statements are not allowed here", unlimited},
		{"as large as it may be", fill(starter+"//", "x", "\n"), verdict.StageBenchmark, "", unlimited},
	}
	return each, more
}

// solutionsNamed returns the one of the solutions for each limit that has the name.
func solutionsNamed(name string) []hostileSolution {
	each, _ := hostileSolutions()
	return slices.DeleteFunc(each, func(h hostileSolution) bool { return h.name != name })
}

// solutionAttacks sends the solutions to /check.
func solutionAttacks(solutions []hostileSolution) (attacks []attack) {
	for _, s := range solutions {
		attacks = append(attacks, attack{"/check " + s.name, s.limits, s.test})
	}
	return attacks
}

func (s hostileSolution) test(t *testing.T, r *target) {
	a := r.send(t, "/check", "application/json", solution("exercise6", "stream.go", s.text))
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	v := decode[verdict.Verdict](t, a)
	said := v.Tests.Output
	for _, p := range v.Errors {
		said += p.Message + "\n"
	}
	// If the kernel refuses memory to Go's garbage collector, that may crash before the allocator reports the same.
	if s.said == "out of memory" && v.Engine == "confined" && strings.Contains(said, "SIGSEGV") {
		said += s.said
	}
	if v.Pass || v.Stage != s.stage || !strings.Contains(said, s.said) {
		t.Errorf("pass %v, stage %q with %.1000q; want %q, %q", v.Pass, v.Stage, said, s.stage, s.said)
	}
}

// TestProofEscapeEndless checks that a benchmark without end is reported as one.
func TestProofEscapeEndless(t *testing.T) {
	r := startTarget(t, shortRuns)
	defer r.stop(t)
	program := uses("testing", "func BenchmarkKeep(b *testing.B) { for {} }")
	v := decode[programs.Report](t, r.form(t, "/escape", program)).Verdict
	if v == nil || v.Pass || v.Stage != "benchmark" ||
		!strings.Contains(v.Tests.Output, "BenchmarkKeep did not come to an end") {
		t.Errorf("%+v", v)
	}
}

// solution returns the body of a request to check a solution of one file.
func solution(exercise, file, text string) string {
	body, err := json.Marshal(map[string]any{"exercise": exercise, "files": map[string]string{file: text}})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(body)
}

var sealedExercises = sync.OnceValue(func() exercise.Catalog {
	c, err := exercise.Sealed()
	if err != nil {
		panic(err)
	}
	return c
})
