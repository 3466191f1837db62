package bookdata

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// MeasuredDir is the folder of the files with measurements, slash-separated and relative to the book's folder.
const MeasuredDir = "measured"

// MeasureCommand is the command that measures the listings.
const MeasureCommand = "go run ./tools/bookalloc measure"

// A MeasuredListing is what was measured of one listing on one release of Go.
type MeasuredListing struct {
	GeneratedBy string `json:"generated_by"`
	Listing     string `json:"listing"` // its folder in the book's, slash-separated
	Source      string `json:"source"`  // of its MeasuredPart
	// Verdict is the measurement itself. Its ns/op are the medians of Timing. It is stored without its Escapes, which
	// Diagnosed parses from Report.
	Verdict *verdict.Verdict `json:"verdict"`
	Timing  Timing           `json:"timing"`
	// Report is what "go build -gcflags=-m=2" prints in the listing's folder about the listing itself, by lines. It is
	// nil, and the Verdict has no Allocations, if the book shows no lines of the listing.
	Report []string `json:"report,omitempty"`
}

// Timing is the noisy part of a measurement.
type Timing struct {
	// Session is when the samples were taken. Only samples of one session, in which the listings took turns, can be
	// compared.
	Session string `json:"session"`
	// Samples are ns/op by benchmark.
	Samples map[string][]float64 `json:"ns_per_op"`
}

// CheckSource returns an error unless the listing's MeasuredPart, identified by source, is what was measured.
func (l *MeasuredListing) CheckSource(source string) error {
	if l.Source == source {
		return nil
	}
	return fmt.Errorf("%s: %s has changed since it was measured: run \"make measure\"", MeasuredFile(l.Listing),
		l.Listing)
}

// Benchmark returns the measurement of a benchmark; of the only one for "".
func (l *MeasuredListing) Benchmark(name string) (*verdict.Benchmark, error) {
	all := l.Verdict.Benchmarks
	if name == "" && len(all) == 1 {
		return &all[0], nil
	}
	var names []string
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
		names = append(names, all[i].Name)
	}
	if name == "" {
		return nil, fmt.Errorf("%s has several benchmarks: name one of %s", l.Listing, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%s has no benchmark %q: it has %s", l.Listing, name, strings.Join(names, ", "))
}

// Platform returns GOOS and GOARCH, such as "linux/amd64".
func (l *MeasuredListing) Platform() string { return l.Verdict.GOOS + "/" + l.Verdict.GOARCH }

// Sample is the timing of a benchmark for statistics.
func (t Timing) Sample(benchmark string) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(t.Samples[benchmark]), &benchmath.DefaultThresholds)
}

// Median returns the median of a benchmark's samples, in ns/op.
func (t Timing) Median(benchmark string) float64 {
	return benchmath.AssumeNothing.Summary(t.Sample(benchmark), 0.95).Center
}

// MeasuredFile is the name of a listing's file in the book's folder.
func MeasuredFile(listing string) string { return path.Join(MeasuredDir, listing) + ".json" }

// ReadMeasuredListing reads what was measured of a listing. The error of a missing file says how to measure.
func ReadMeasuredListing(book fs.FS, listing string) (*MeasuredListing, error) {
	l := new(MeasuredListing)
	if err := read(book, MeasuredFile(listing), "make measure", l); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is not measured: run \"make measure\"", listing)
		}
		return nil, err
	}
	if l.Verdict == nil {
		return nil, fmt.Errorf("%s has no verdict: run \"make measure\"", MeasuredFile(listing))
	}
	return l, nil
}

// Diagnosed returns the Verdict with the diagnostics of Report about the listing in the book's folder. Report is about
// the package alone: a check builds it with its tests, for which the compiler may generate and inline more, and with
// its profile.
func (l *MeasuredListing) Diagnosed(book fs.FS) (*verdict.Verdict, error) {
	if l.Report == nil {
		return nil, fmt.Errorf("%s has no lines: run \"make measure\"", MeasuredFile(l.Listing))
	}
	files, err := ReadPackage(book, l.Listing)
	if err != nil {
		return nil, err
	}
	report := strings.Join(l.Report, "\n") + "\n"
	diagnostics, _ := escape.Parse([]byte(report))
	header, _, _ := strings.Cut(report, "\n") // names the package
	v := *l.Verdict
	v.Escapes = verdict.OfPackage(diagnostics, strings.TrimPrefix(header, "# "))
	escape.MarkStorage(v.Escapes, escape.StoredIn(escape.ParseSource(files)))
	return &v, nil
}

// Write writes the measurement of a listing below dir, the book's folder.
func (l *MeasuredListing) Write(dir string) error {
	l.GeneratedBy = MeasureCommand
	return write(dir, MeasuredFile(l.Listing), struct {
		*MeasuredListing
		Verdict any `json:"verdict"`
	}{l, struct {
		*verdict.Verdict
		Escapes any `json:"escapes,omitempty"` // left out
	}{Verdict: l.Verdict}})
}

// MeasuredListings returns the listings that have a file, in order.
func MeasuredListings(book fs.FS) (all []string, err error) {
	files, err := fs.Glob(book, MeasuredFile("*/listings/*"))
	for _, name := range files {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(name, MeasuredDir+"/"), ".json"))
	}
	return all, err
}
