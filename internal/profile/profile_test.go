package profile

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
)

// importPath is the end of this package's folder, whatever the folder of the module is called.
const importPath = "internal/profile"

func own(file string) bool { return file == "profile_test.go" }

// snapshot is the allocation profile of this process.
func snapshot(t testing.TB) []byte {
	t.Helper()
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var sink any

// inlined is small enough to be inlined: the allocation is on its own line, in its caller's code.
func inlined() *[64]byte { return new([64]byte) }

//go:noinline
func tiny() { sink = new([5]byte) }

//go:noinline
func growing(n int) {
	var b bytes.Buffer
	b.Grow(n)
	sink = &b
}

//go:noinline
func once() { sink = inlined() }

func measured(t testing.TB, f func()) []Line {
	t.Helper()
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = rate }()
	before := snapshot(t)
	for range 300 {
		f()
	}
	after := snapshot(t)
	lines, err := Fold([]Term{{1, after}, {-1, before}}, importPath, own)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func find(lines []Line, fn string) *Line {
	for i := range lines {
		if strings.HasSuffix(lines[i].Func, "."+fn) && lines[i].Objects >= 50 {
			return &lines[i]
		}
	}
	return nil
}

func TestFold(t *testing.T) {
	if l := find(measured(t, once), "inlined"); l == nil || l.Objects != 300 || l.Bytes != 300*64 || l.Tiny != 0 || len(l.Callees) != 0 || l.File != "profile_test.go" {
		t.Errorf("inlined: %+v", l)
	}
	l := find(measured(t, tiny), "tiny")
	if l == nil || l.Objects < 50 || l.Objects > 150 || l.Tiny != l.Objects {
		t.Errorf("tiny: %+v", l)
	}
	// The Buffer is on the line that declares it, its memory on the line that calls Grow.
	var callees []string
	for _, l := range measured(t, func() { growing(1000) }) {
		if strings.HasSuffix(l.Func, ".growing") && l.Bytes > 300*900 {
			callees = l.Callees
		}
	}
	if len(callees) == 0 || callees[0] != "bytes.(*Buffer).Grow" {
		t.Errorf("callees of growing: %v", callees)
	}
}

func TestFoldResidue(t *testing.T) {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = rate }()
	before := snapshot(t)
	once()
	after := snapshot(t)
	lines, err := Fold([]Term{{1, before}, {-1, after}}, importPath, own)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l.Objects <= 0 {
			t.Errorf("negative: %+v", l)
		}
		if strings.HasSuffix(l.Func, ".inlined") {
			t.Errorf("kept: %+v", l)
		}
	}
	if lines, err := Fold(nil, importPath, own); lines != nil || err != nil {
		t.Errorf("no terms: %v, %v", lines, err)
	}
	if lines, err := Fold([]Term{{1, after}}, "onthestack/other", own); len(lines) != 0 || err != nil {
		t.Errorf("another package: %v, %v", lines, err)
	}
}

func TestFoldJunk(t *testing.T) {
	for _, junk := range []string{"", "junk", "\x1f\x8b", "\x0a\x02\x08\x01"} {
		if _, err := Fold([]Term{{1, []byte(junk)}}, importPath, own); err == nil {
			t.Errorf("%q: no error", junk)
		}
	}
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Fold([]Term{{1, b.Bytes()}}, importPath, own); err == nil || !strings.Contains(err.Error(), "another kind") {
		t.Errorf("a profile of goroutines: %v", err)
	}
}

func FuzzFold(f *testing.F) {
	f.Add([]byte("junk"))
	f.Add(snapshot(f))
	f.Fuzz(func(t *testing.T, proto []byte) {
		lines, err := Fold([]Term{{1, proto}}, importPath, own)
		if err != nil {
			return
		}
		for _, l := range lines {
			if l.Objects <= 0 || !own(l.File) {
				t.Errorf("%+v", l)
			}
		}
	})
}
