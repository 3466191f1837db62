package build

import (
	"os"
	"strings"
	"testing"

	"onthestack/internal/execution"
)

// TestProofRaceBuild proves that code which fails to compile only with the race detector is the solver's mistake,
// reported with the compiler's output, and not a failure of the machine.
func TestProofRaceBuild(t *testing.T) {
	tools := New(DefaultLimits())
	const test = "package p_test\n\nimport (\n\t\"testing\"\n\n\t\"onthestack/p\"\n)\n\nfunc TestF(t *testing.T) " +
		"{ p.F() }\n"
	for name, c := range map[string]struct {
		files  map[string]string
		passed bool
		built  bool
		says   string
	}{
		"compiles and passes": {map[string]string{"f.go": "package p\n\nfunc F() {}\n"}, true, true, "PASS"},
		"compiles and fails": {map[string]string{"f.go": "package p\n\nfunc F() { panic(\"no\") }\n"},
			false, true, "panic: no"},
		"an error under the tag race": {map[string]string{"f.go": "package p\n\nfunc F() {}\n",
			"g.go": "//go:build race\n\npackage p\n\nfunc g() { nowhere() }\n"},
			false, false, "g.go:5:12: undefined: nowhere"},
		"nothing under the tag race": {map[string]string{"f.go": "//go:build !race\n\npackage p\n\nfunc F() {}\n"},
			false, false, "build constraints exclude all Go files"},
	} {
		t.Run(name, func(t *testing.T) {
			src := execution.Source{Dir: "p", Files: map[string][]byte{"p/p_test.go": []byte(test)}}
			for name, text := range c.files {
				src.Files["p/"+name] = []byte(text)
			}
			r, lacks, err := tools.TestRace(t.Context(), src, 0)
			if err != nil {
				t.Fatal(err)
			}
			if lacks != "" { // make test asks for a compiler before it begins
				if os.Getenv("CI") == "true" {
					t.Fatalf("the race detector needs %s", lacks)
				}
				t.Skip("NOT TESTED: tests under the race detector. This machine lacks " + lacks)
			}
			if r.Passed != c.passed || r.Built != c.built || !strings.Contains(string(r.Output), c.says) ||
				strings.Contains(string(r.Output), "checkalloc-build") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestRaceMachine proves that the output of the go command is enough to distinguish a machine without the race detector
// from other failures.
func TestRaceMachine(t *testing.T) {
	for said, want := range map[string]bool{
		"# runtime/cgo\ncgo: C compiler \"gcc\" not found: exec: \"gcc\": executable file not found in " +
			"$PATH\n": true,
		"# runtime/cgo\ncgo: C compiler \"/no/cc\" not found: exec: \"/no/cc\": stat /no/cc: no such file or " +
			"directory\n": true,
		"-race is not supported on linux/386\n":                                                 true,
		"go: -race is not supported on aix/ppc64\n":                                             true,
		"# runtime/cgo\ncc: error: unrecognized option '-x': it is not supported\n":             false,
		"# runtime/cgo\n_cgo_export.c:3:10: fatal error: stdlib.h: No such file or directory\n": false,
		"# runtime/cgo\nfatal: C compiler not found: out of memory\n":                           false,
		"go: open /home/gopher/.cache/go-build/00: no space left on device\n":                   false,
	} {
		if got := noCompiler.MatchString(said) || unsupported.MatchString(said); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
	for said, want := range map[string]bool{
		"FATAL: ThreadSanitizer: unexpected memory mapping 0x5f\n":   true,
		"==7==ERROR: ThreadSanitizer failed to allocate 0x4 bytes\n": true,
		"WARNING: DATA RACE\n": false,
		"race: limit on 8128 simultaneously alive goroutines is exceeded\n": false,
	} {
		if got := detectorFailed.MatchString(said); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}
