package main

import (
	"fmt"
	"go/version"
	"strings"

	"onthestack/internal/bookdata"
)

const (
	// operations is how many operations a figure is the mean of, and how many both runs are a multiple of: so many that
	// objects of up to 8 bytes, of which 2, 3, 4, 5, 8 or 16 share a block, fill whole blocks, wherever in a block the
	// first one lies.
	operations = 1680
	// rounds is how often it is measured.
	rounds = 5
)

// mainFile is a TestMain that prints, for each benchmark and round, operations, mallocs and bytes of two runs, one twice as long
// as the other: their difference has nothing in it that the benchmark does once. "go test -benchmem" prints whole numbers, which
// lack an allocation as soon as one in all operations is missing.
func mainFile(part bookdata.MeasuredPart, patch string) []byte {
	var table strings.Builder
	for _, name := range part.Benchmarks {
		fmt.Fprintf(&table, "\t\t{%q, %s},\n", name, name)
	}
	// The number of operations can be asked for since Go 1.12. Before, a B of our own is all that a benchmark needs.
	//
	// Names begin with zz: the file may be part of the listing's own package.
	sample := `	if err := zzFlag.Set("test.benchtime", zzFmt.Sprintf("%dx", n)); err != nil {
		zzFmt.Println(err)
		zzOS.Exit(1)
	}
	r := zzTesting.Benchmark(f)
	return r.N, uint64(r.MemAllocs), uint64(r.MemBytes)
`
	imports := `zzFlag "flag"`
	if version.Compare(patch, "go1.12") < 0 {
		imports = `zzRuntime "runtime"`
		sample = `	var before, after zzRuntime.MemStats
	zzRuntime.ReadMemStats(&before)
	f(&zzTesting.B{N: n})
	zzRuntime.ReadMemStats(&after)
	return n, after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
`
	}
	return fmt.Appendf(nil, `package %s

import (
	%s
	zzFmt "fmt"
	zzOS "os"
	zzTesting "testing"
)

func zzSample(f func(*zzTesting.B), n int) (operations int, mallocs, bytes uint64) {
%s}

func TestMain(*zzTesting.M) {
	for _, b := range []struct {
		name string
		f    func(*zzTesting.B)
	}{
%s	} {
		zzSample(b.f, 1)
		for i := 0; i < %d; i++ {
			few, fewAllocs, fewBytes := zzSample(b.f, %d)
			many, manyAllocs, manyBytes := zzSample(b.f, %d)
			zzFmt.Println(b.name, few, fewAllocs, fewBytes, many, manyAllocs, manyBytes)
		}
	}
	zzOS.Exit(0)
}
`, part.TestPackage, imports, sample, table.String(), rounds, operations, 2*operations)
}
