package measure

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchmath"

	"onthestack/internal/bookdata"
)

const (
	grow  = "first/listings/grow"
	still = "first/listings/still"
)

// fixture returns a Measurer for a copy of the fixture without measurements, and a buffer that receives its progress.
func fixture(t *testing.T) (*Measurer, *bytes.Buffer) {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../testdata/workbook")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "book", bookdata.MeasuredDir)); err != nil {
		t.Fatal(err)
	}
	told := new(bytes.Buffer)
	m := New(root, "book", func(format string, args ...any) { told.WriteString(format + "\n") })
	m.rounds, m.benchTime = 6, "1ms"
	return m, told
}

func wantBoth() Wanted {
	return Wanted{
		Lines:    map[string]bool{grow: true},
		Listings: map[string]bool{grow: true, still: true},
		Tables:   [][]string{{grow, still}},
	}
}

func read(t *testing.T, m *Measurer, listing string) *bookdata.MeasuredListing {
	t.Helper()
	l, err := bookdata.ReadMeasuredListing(m.fs(), listing)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func edit(t *testing.T, m *Measurer, name, from, to string) {
	t.Helper()
	file := filepath.Join(m.folder(), filepath.FromSlash(name))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %q", name, from)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, m *Measurer) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(m.fs(), bookdata.MeasuredDir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(m.fs(), name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestProofUpdateAndCheck(t *testing.T) {
	m, told := fixture(t)
	ctx := context.Background()
	w := wantBoth()
	if err := m.Update(ctx, w, true); err != nil {
		t.Fatal(err)
	}

	l := read(t, m, grow)
	b, err := l.Benchmark("")
	if err != nil {
		t.Fatal(err)
	}
	// The average of 8 + 16 + 32 + 64 + 128 bytes.
	if b.AllocsPerOp != 5 || b.BytesPerOp != 248 || !b.Pass || b.TargetAllocs != nil {
		t.Errorf("BenchmarkGrow: %+v", b)
	}
	if b.NsPerOp <= 0 || len(l.Timing.Samples["BenchmarkGrow"]) != m.rounds {
		t.Errorf("%v ns/op of samples %v", b.NsPerOp, l.Timing.Samples)
	}
	if got := read(t, m, still); got.Timing.Session != l.Timing.Session || len(got.Timing.Samples) != 2 ||
		len(got.Verdict.Allocations) != 0 {
		t.Errorf("still: session %q, grow's %q; samples %v; allocations %v", got.Timing.Session, l.Timing.Session,
			got.Timing.Samples, got.Verdict.Allocations)
	}
	if want := "./grow.go:11:17: append escapes to heap"; !slices.Contains(l.Report, want) {
		t.Errorf("the report lacks %q:\n%s", want, strings.Join(l.Report, "\n"))
	}
	before := contents(t, m)
	for name, text := range before {
		if strings.Contains(text, m.Root) ||
			!strings.HasPrefix(text, "{\n \"generated_by\":\"go run ./tools/bookalloc measure\",\n") {
			t.Errorf("%s names a folder of this machine, or not the command that made it:\n%s", name, text)
		}
	}
	if err := m.Check(ctx, w, true); err != nil {
		t.Error(err)
	}

	// A second run changes nothing and times nothing.
	told.Reset()
	if err := m.Update(ctx, w, true); err != nil {
		t.Fatal(err)
	}
	if after := contents(t, m); !reflect.DeepEqual(after, before) || strings.Contains(told.String(), "times") {
		t.Errorf("a second measurement changed something; progress:\n%s", told)
	}

	// Check finds a figure that was edited, a listing that has changed, and a listing that no page shows any more.
	edit(t, m, bookdata.MeasuredFile(grow), `"allocs_per_op":5,`, `"allocs_per_op":4,`)
	want := `book/measured/first/listings/grow.json: BenchmarkGrow of first/listings/grow: stored 4 allocs/op and ` +
		`248 B/op (` +
		l.Verdict.Go + `), measured 5 allocs/op and 248 B/op (` + l.Verdict.Go + `): run "make measure"`
	if err := m.Check(ctx, w, true); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	// A listing that is not in the sample is not measured again.
	m.Sample = map[string]bool{still: true}
	if err := m.Check(ctx, w, true); err != nil {
		t.Error(err)
	}
	m.Sample[grow] = true
	if err := m.Check(ctx, w, true); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	m.Sample = nil
	edit(t, m, bookdata.MeasuredFile(grow), `"allocs_per_op":4,`, `"allocs_per_op":5,`)
	edit(t, m, bookdata.MeasuredFile(grow), `"why":"the array that append grows moves`, `"why":"the array moves`)
	const reason = `book/measured/first/listings/grow.json: this reason %s: BenchmarkGrow, grow.go:11: the array %s` +
		`moves to the heap: run "make measure"`
	want = fmt.Sprintf(reason, "is stored and was not given now", "") + "\n" +
		fmt.Sprintf(reason, "was given now and is not stored", "that append grows ")
	if err := m.Check(ctx, w, true); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	edit(t, m, still+"/still.go", "sum += i", "sum += i + 1")
	m.Sample = map[string]bool{} // no listing is measured
	delete(w.Listings, grow)
	want = `book/measured/first/listings/grow.json: no page shows this listing: run "make measure"`
	if err := m.Check(ctx, w, true); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}

	// The changed listing is timed again, and the measurement that no page shows is removed.
	m.Sample = nil
	if err := m.Update(ctx, w, true); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, m); got[bookdata.MeasuredFile(grow)] != "" || !strings.Contains(told.String(), "times") {
		t.Errorf("the listing grow was not removed, or the listing still was not timed; progress:\n%s", told)
	}
	if err := m.Check(ctx, w, true); err != nil {
		t.Error(err)
	}
}

func TestBrokenListing(t *testing.T) {
	m, _ := fixture(t)
	edit(t, m, grow+"/grow.go", "append(zeros, 0)", "append(zeros, 1, 0)")
	w := Wanted{Listings: map[string]bool{grow: true}}
	err := m.Update(context.Background(), w, true)
	if err == nil ||
		!strings.Contains(err.Error(), "first/listings/grow: the tests stage failed: correct the listing") ||
		!strings.Contains(err.Error(), "got 6 zeros, want 3") {
		t.Errorf("tests that fail: got %v", err)
	}
	edit(t, m, grow+"/grow.go", "append(zeros, 1, 0)", "append(zeros, nothing)")
	err = m.Update(context.Background(), w, true)
	if err == nil || !strings.Contains(err.Error(), "the build stage failed") || !strings.Contains(err.Error(),
		"grow.go:11: undefined: nothing") {
		t.Errorf("a listing that does not compile: got %v", err)
	}
}

func TestOnly(t *testing.T) {
	all := func() Wanted {
		return Wanted{Listings: map[string]bool{"a": true, "b": true, "c": true, "d": true},
			Tables: [][]string{{"a", "b"}, {"b", "c"}, {"d"}}}
	}
	for _, test := range []struct {
		names []string
		peers bool
		want  []string
	}{
		{[]string{"a"}, true, []string{"a", "b", "c"}},
		{[]string{"a"}, false, []string{"a"}},
		{[]string{"d"}, true, []string{"d"}},
	} {
		w := all()
		if err := w.Only(test.names, test.peers); err != nil {
			t.Fatal(err)
		}
		var got []string
		for name := range w.Listings {
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.names, got, test.want)
		}
	}
	w := all()
	if err := w.Only([]string{"x"}, true); err == nil ||
		err.Error() != "x: no page shows what is measured of this listing today: name one of\n\ta\n\tb\n\tc\n\td" {
		t.Errorf("an unknown listing: got %v", err)
	}
}

func TestSignificant(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 1234567: 1235000, 1080.46: 1080, 12.3456: 12.35, 0.123456: 0.1235} {
		if got := significant(x); got != want {
			t.Errorf("significant(%v) = %v, want %v", x, got, want)
		}
	}
}

// benchmath needs six samples of each benchmark to call two times different, so rounds must not be smaller.
func TestRoundsSuffice(t *testing.T) {
	m := New(".", "book", nil)
	fast, slow := bookdata.Timing{Samples: map[string][]float64{}}, bookdata.Timing{Samples: map[string][]float64{}}
	for i := range m.rounds {
		fast.Samples["B"] = append(fast.Samples["B"], 100+float64(i))
		slow.Samples["B"] = append(slow.Samples["B"], 200+float64(i))
	}
	if c := benchmath.AssumeNothing.Compare(fast.Sample("B"), slow.Sample("B")); c.P > 0.05 {
		t.Errorf("with %d rounds, times that differ by half have P = %v", m.rounds, c.P)
	}
}
