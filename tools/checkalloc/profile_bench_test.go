package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
)

// maxOverPprof limits how long explain takes for a profile: as many times as long as "go tool pprof -top" and one compile
// of the packages in it.
const maxOverPprof = 1.5

// BenchmarkProfile measures, in turn, explain on a heap profile of 50 MB, and pprof and a compile of the package in it.
func BenchmarkProfile(b *testing.B) {
	const rounds, least = 5, 50 << 20
	work := b.TempDir()
	b.Setenv("GOWORK", "off")
	binary, module, large := filepath.Join(work, "checkalloc"), filepath.Join(work, "module"), filepath.Join(work, "allocs")
	buildChecker(b, binary)
	if err := os.Mkdir(module, 0o777); err != nil {
		b.Fatal(err)
	}
	edits := 0
	edit := func() {
		edits++
		for name, text := range map[string]string{
			"go.mod": "module example.com/svc\n\ngo 1.24\n",
			"svc.go": fmt.Sprintf("package svc\n\nfunc F(n int) []byte {\n\treturn make([]byte, n)\n}\n\nconst Edits = %d\n", edits),
		} {
			if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	edit()
	if size := writeLargeProfile(b, large); size < least {
		b.Fatalf("the profile has %d bytes, want %d", size, least)
	}
	execute(b, module, nil, "go", "tool", "pprof", "-top", large) // builds pprof
	times := inTurn(b, rounds, edit,
		func() { execute(b, module, nil, binary, "explain", "--profile", large) },
		func() {
			execute(b, module, nil, "go", "tool", "pprof", "-top", "-sample_index=alloc_space", large)
			execute(b, module, nil, "go", "build", "-gcflags=-m=2", ".")
		})
	ratio := median(times[0]).Seconds() / median(times[1]).Seconds()
	b.Logf("explain median %v, pprof and a compile %v, of %d", median(times[0]), median(times[1]), rounds)
	b.ReportMetric(ratio, "explain/pprof")
	if ratio > maxOverPprof {
		b.Errorf("explain takes %.2f times as long as pprof and a compile, more than %v", ratio, maxOverPprof)
	}
}

// writeLargeProfile writes a profile with random stacks of 40 calls, most of them in other modules, and returns its size.
// Each function calls three others, as in a program: with any function after any, pprof takes minutes for the edges.
func writeLargeProfile(b *testing.B, name string) (size int64) {
	const functions, samples, depth = 20_000, 700_000, 40
	r := rand.New(rand.NewPCG(1, 2))
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10,
	}
	for i := range functions {
		f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("example.com/other/p%d.F%d", i%500, i),
			Filename: fmt.Sprintf("/other/p%d/f.go", i%500), StartLine: 3}
		if i%100 == 0 {
			f.Name, f.Filename = "example.com/svc.F", "/svc/svc.go"
		}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: uint64(i + 1), Address: uint64(0x400000 + 16*i),
			Line: []profile.Line{{Function: f, Line: 4}}})
	}
	for range samples {
		s := &profile.Sample{Value: []int64{r.Int64N(1 << 20), r.Int64N(1 << 30), r.Int64N(10), r.Int64N(1 << 20)},
			NumLabel: map[string][]int64{"bytes": {16 << r.IntN(10)}}}
		at := 0
		for range depth {
			at = (3*at + 1 + r.IntN(3)) % functions
			s.Location = append(s.Location, p.Location[at])
		}
		slices.Reverse(s.Location) // the innermost call is first
		p.Sample = append(p.Sample, s)
	}
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}
