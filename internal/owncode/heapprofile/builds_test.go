package heapprofile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"onthestack/internal/build"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/userpkg"
)

// untested skips a test for want of something that this machine does not have. In CI, it fails.
func untested(t *testing.T, why string, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("NOT TESTED: %s: %v", why, err)
	}
	t.Skipf("NOT TESTED: %s: %v", why, err)
}

// TestProofRelease is TestKnown for a program that another release of Go has built, which compiles the packages too.
// The table of functions says where the code begins up to Go 1.25.
func TestProofRelease(t *testing.T) {
	older(t)
	testKnown(t, []variant{{"stripped", []string{"-ldflags=-s -w"}, true, nil}})
}

// TestNightlyRelease does the same for other builds.
func TestNightlyRelease(t *testing.T) {
	older(t)
	testKnown(t, []variant{
		{"program", nil, true, nil},
		{"position-independent and stripped", []string{"-buildmode=pie", "-ldflags=-s -w"}, true, nil},
	})
}

// older has the go command be the last of Go 1.25.
func older(t *testing.T) {
	t.Helper()
	releases, err := build.Newest(t.Context(), "go1.25")
	if err == nil {
		_, err = build.Fetch(t.Context(), releases[0])
	}
	if err != nil {
		untested(t, "a program of Go 1.25", err)
	}
	t.Setenv("GOTOOLCHAIN", releases[0])
}

// hot is a program whose function work is too large to be inlined, unless a profile says that it is called often.
const hot = `package main

type pair struct{ a, b int64 }

var kept *pair

func work(n int64) *pair {
	a, b := n, n+1
	for i := range 3 {
		a, b = a*b+int64(i), b*a-int64(i)
		a, b = a^b+int64(i), b|a-int64(i)
		a, b = a*b+int64(i), b*a-int64(i)
		a, b = a^b+int64(i), b|a-int64(i)
		a, b = a*b+int64(i), b*a-int64(i)
		a, b = a^b+int64(i), b|a-int64(i)
		a, b = a*b+int64(i), b*a-int64(i)
		a, b = a^b+int64(i), b|a-int64(i)
	}
	return &pair{a, b}
}

func main() {
	for i := range 1000 {
		kept = work(int64(i))
	}
}
`

// hotProfile returns a CPU profile in which main calls work.
func hotProfile(t *testing.T) []byte {
	line := func(text string) int64 {
		before, _, ok := strings.Cut(hot, text)
		if !ok {
			t.Fatal(text)
		}
		return int64(strings.Count(before, "\n") + 1)
	}
	cpu := &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, cpu}, PeriodType: cpu,
		Period: 1}
	for i, f := range []struct{ name, at string }{{"main.work", "return &pair"}, {"main.main", "kept = work"}} {
		function := &profile.Function{ID: uint64(i + 1), Name: f.name, SystemName: f.name, Filename: "main.go",
			StartLine: line("func " + strings.TrimPrefix(f.name, "main.") + "(")}
		p.Function = append(p.Function, function)
		p.Location = append(p.Location, &profile.Location{ID: uint64(i + 1), Address: uint64(0x1000 + i),
			Line: []profile.Line{{Function: function, Line: line(f.at)}}})
	}
	p.Sample = []*profile.Sample{{Location: p.Location, Value: []int64{1000, 1000}}}
	return encode(t, p)
}

// TestProofOptimized proves that packages are compiled with the profile with which the program was optimized, and that
// it is said if that is not there any more.
func TestProofOptimized(t *testing.T) {
	dir := t.TempDir()
	optimized := filepath.Join(dir, "default.pgo")
	for name, text := range map[string][]byte{
		filepath.Join(dir, "go.mod"):  []byte("module example.com/hot\n\ngo 1.24\n"),
		filepath.Join(dir, "main.go"): []byte(hot),
		optimized:                     hotProfile(t),
	} {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := heapprofile.OpenBinary(buildKnown(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	inlined := func() (inlined bool, notes []string) {
		config, notes, err := b.Configure(t.Context(), userpkg.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		packages, _, err := config.Reports(t.Context(), b.Main, []string{b.Main})
		if err != nil || len(packages) != 1 {
			t.Fatalf("%d packages, %v", len(packages), err)
		}
		for _, d := range packages[0].Built.Diagnostics {
			inlined = inlined || strings.HasPrefix(d.Message, "inlining call to work")
		}
		return inlined, notes
	}
	if ok, notes := inlined(); !ok || len(notes) > 0 {
		t.Errorf("inlined: %v, %q", ok, notes)
	}
	if err := os.Remove(optimized); err != nil {
		t.Fatal(err)
	}
	want := "The program was optimized with default.pgo, which is not in the folder of its package main"
	ok, notes := inlined()
	if ok || !slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
		t.Errorf("inlined: %v, %q", ok, notes)
	}
}
