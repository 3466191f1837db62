package measure

import (
	"fmt"
	"go/version"
	"strings"

	"onthestack/internal/bookdata"
)

const (
	// operations is the number of operations by which the two runs differ. Both run a multiple of it. Objects of up to
	// 8 bytes share a block of 16 bytes, 2, 3, 4, 5, 8 or 16 of them. This many objects fill whole blocks, no matter
	// where in a block the first one lies.
	operations = 1680
	// rounds is how often each benchmark is measured.
	rounds = 5
)

// mainFile returns the source of a TestMain that prints, for each benchmark and round, the operations, mallocs and
// bytes of two runs, one twice as long as the other. Their difference contains nothing that the benchmark does only
// once. The figures of "go test -benchmem" would not do: they are truncated to whole numbers, so that a single missing
// allocation makes them one too small.
func mainFile(part bookdata.MeasuredPart, patch string) []byte {
	var table strings.Builder
	for _, name := range part.Benchmarks {
		fmt.Fprintf(&table, "\t\t{%q, %s},\n", name, name)
	}
	// testing.Benchmark takes a number of operations since Go 1.12. For earlier releases, the benchmark gets a
	// testing.B with N set, which is all that it needs.
	//
	// Names begin with zz, because the file may be part of the listing's own package.
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
