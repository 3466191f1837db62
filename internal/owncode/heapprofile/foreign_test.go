package heapprofile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"golang.org/x/tools/txtar"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/userpkg"
)

// A platform is one that programs are built for here, and how it names a mapping.
type platform struct {
	os, arch string
	linked   uint64 // the address of the first byte of the program in its file
	start    uint64 // the address at which it runs
	buildID  string
}

// Programs for macOS and Windows run at another address than they are linked for.
var (
	platforms = []platform{
		{"darwin", "arm64", 0x100000000, 0x1047f8000, ""},
		{"windows", "amd64", 0x140000000, 0x7ff6a0f40000, `C:\calls.exe2026-11-30 06:00:00 +0000 UTC`},
		{"linux", "arm64", 0x10000, 0x10000, ""},
		{"linux", "amd64", 0x400000, 0x400000, ""},
	}
	otherPlatforms = []platform{
		{"darwin", "amd64", 0x1000000, 0x10a3c4000, ""},
		{"windows", "arm64", 0x140000000, 0x7ff6a0f40000, ""},
	}
)

// layCalls writes the program of testdata/calls.txtar into a folder, and returns the lines of main.go.
func layCalls(t *testing.T) (dir string, lines []string) {
	t.Helper()
	dir = t.TempDir()
	archive, err := txtar.ParseFile("testdata/calls.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		lines = strings.Split(string(f.Data), "\n")
	}
	return dir, lines
}

// expected returns what the comment of a line says: the function of the runtime that is called, and the kind of the
// first reason.
func expected(line string) (function *regexp.Regexp, kind string, ok bool) {
	_, comment, ok := strings.Cut(line, "//= ")
	name, kind, _ := strings.Cut(comment, " ")
	return regexp.MustCompile(`^runtime\.(` + name + `)`), kind, ok
}

// A callSite is a call instruction of allocate, as the disassembler of the Go distribution shows it.
type callSite struct {
	line  int
	after uint64 // the address behind the instruction
	to    string
}

// objdumpLine matches a call: "  main.go:20  0x1000abc  e8ff0000  CALL runtime.newobject(SB)".
var objdumpLine = regexp.MustCompile(`(?m)^\s+main\.go:(\d+)\s+0x([0-9a-f]+)\s+([0-9a-f]+)\s+CALL ([^\s(]+)\(SB\)`)

// disassemble returns the calls in allocate. The disassembler finds functions by the symbols of the program, which the
// code under test does not read.
func disassemble(t *testing.T, program string) (calls []callSite) {
	t.Helper()
	out := run(t, "", "go", "tool", "objdump", "-s", `^main\.allocate$`, program)
	for _, m := range objdumpLine.FindAllSubmatch(out, -1) {
		line, err := strconv.Atoi(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		address, err := strconv.ParseUint(string(m[2]), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		to := strings.TrimSuffix(string(m[4]), ".abi0") // of a function in assembly
		calls = append(calls, callSite{line, address + uint64(len(m[3])/2), to})
	}
	if len(calls) < 6 {
		t.Fatalf("%d calls in\n%s", len(calls), out)
	}
	return calls
}

// profileOf returns the profile that the program would have written when loaded at an address, with a sample for each
// call on a line with a comment. Without a mapping, the profile does not say where it was loaded.
func (p *platform) profileOf(t *testing.T, calls []callSite, lines []string, mapped bool) *heapprofile.Profile {
	t.Helper()
	made := &profile.Profile{SampleType: types(heapTypes...), PeriodType: types("space")[0], Period: 1}
	f := &profile.Function{ID: 1, Name: "main.allocate", SystemName: "main.allocate", Filename: "/src/main.go"}
	if p.os == "windows" {
		f.Filename = `C:\src\main.go`
	}
	for i, line := range lines {
		if strings.Contains(line, "func allocate") {
			f.StartLine = int64(i + 1)
		}
	}
	made.Function = append(made.Function, f)
	m := &profile.Mapping{ID: 1, Start: p.start, Limit: p.start + 1<<24, File: "calls", BuildID: p.buildID}
	if !mapped {
		m.Start, m.Limit = 0, 0
	}
	made.Mapping = append(made.Mapping, m)
	for i, c := range calls {
		l := &profile.Location{ID: uint64(i + 1), Mapping: m, Address: c.after - 1 - p.linked + p.start,
			Line: []profile.Line{{Function: f, Line: int64(c.line)}}}
		made.Location = append(made.Location, l)
		if function, _, ok := expected(lines[c.line-1]); ok && function.MatchString(c.to) {
			made.Sample = append(made.Sample, &profile.Sample{Location: []*profile.Location{l},
				Value: []int64{1, 64, 1, 64}, NumLabel: map[string][]int64{"bytes": {64}}})
		}
	}
	read, err := heapprofile.Read(bytes.NewReader(encode(t, made)))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// TestProofForeign proves that the calls in programs for macOS, Windows and Linux are read as the disassembler reads
// them, also in stripped programs, and where the profile does not say at which address the program ran. It has each form
// of a program and each architecture, for which the standard library is compiled.
func TestProofForeign(t *testing.T) { testForeign(t, platforms) }

// TestNightlyForeign does the same for the other pairs of them.
func TestNightlyForeign(t *testing.T) { testForeign(t, otherPlatforms) }

func testForeign(t *testing.T, platforms []platform) {
	dir, lines := layCalls(t)
	for _, p := range platforms {
		t.Run(p.os+"_"+p.arch, func(t *testing.T) {
			t.Setenv("GOOS", p.os)
			t.Setenv("GOARCH", p.arch)
			t.Setenv("CGO_ENABLED", "0")
			program := buildKnown(t, dir)
			calls := disassemble(t, program)
			stripped := buildKnown(t, dir, "-ldflags=-s -w")
			for name, program := range map[string]string{"program": program, "stripped": stripped} {
				for _, mapped := range []bool{true, false} {
					t.Run(fmt.Sprintf("%s, mapped %v", name, mapped), func(t *testing.T) {
						p.check(t, dir, program, p.profileOf(t, calls, lines, mapped), calls, lines)
					})
				}
			}
		})
	}
}

// check compares the called functions, and the reasons of lines, with what is expected.
func (p *platform) check(t *testing.T, dir, program string, profile *heapprofile.Profile, calls []callSite,
	lines []string) {
	t.Helper()
	b := openBinary(t, program, profile)
	called := heapprofile.Called(b, profile)
	for i, c := range calls {
		want := c.to
		if !strings.HasPrefix(want, "runtime.") {
			want = ""
		}
		if called[i] != want {
			t.Errorf("line %d, 0x%x calls %q, want %q", c.line, c.after, called[i], want)
		}
	}
	o := heapprofile.Options{Config: userpkg.Config{Dir: dir}, Binary: b}
	var err error
	if o.Config, _, err = b.Configure(t.Context(), o.Config); err != nil {
		t.Fatal(err)
	}
	r := explain(t, profile, o)
	if r.GOOS != p.os || r.GOARCH != p.arch {
		t.Errorf("compiled for %s/%s", r.GOOS, r.GOARCH)
	}
	for i, line := range lines {
		function, kind, ok := expected(line)
		if !ok {
			continue
		}
		l := find(r, known{file: "main.go", line: i + 1})
		if l == nil || string(l.Kind) != kind {
			t.Errorf("line %d: %+v, want %s", i+1, l, kind)
		}
		ok = false
		for j, c := range calls {
			ok = ok || c.line == i+1 && function.MatchString(called[j])
		}
		if !ok {
			t.Errorf("line %d: no call of %v", i+1, function)
		}
	}
	for _, note := range r.Notes {
		if strings.Contains(note, "cannot be read") {
			t.Error(note)
		}
	}
}

// TestProofUnread proves that it is said, once, of which programs the code is not read.
func TestProofUnread(t *testing.T) { testUnread(t, "linux/386") }

// TestNightlyUnread does the same for another form of programs and another architecture.
func TestNightlyUnread(t *testing.T) { testUnread(t, "windows/386", "linux/riscv64") }

func testUnread(t *testing.T, platforms ...string) {
	dir, _ := layCalls(t)
	for _, platform := range platforms {
		p := strings.Split(platform, "/")
		t.Run(p[0]+"_"+p[1], func(t *testing.T) {
			t.Setenv("GOOS", p[0])
			t.Setenv("GOARCH", p[1])
			t.Setenv("CGO_ENABLED", "0")
			program := buildKnown(t, dir)
			made := made(heapTypes, []int64{1, 16, 1, 16})
			made.Function[0].Name = "main.allocate"
			profile, err := heapprofile.Read(bytes.NewReader(encode(t, made)))
			if err != nil {
				t.Fatal(err)
			}
			r := explain(t, profile, heapprofile.Options{Config: userpkg.Config{Dir: dir},
				Binary: openBinary(t, program, profile)})
			if n := strings.Count(strings.Join(r.Notes, "\n"), "(only the machine code of amd64 and arm64 is known)"); n != 1 {
				t.Errorf("%q", r.Notes)
			}
		})
	}
}
