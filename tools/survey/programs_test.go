package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"onthestack/internal/owncode/heapprofile"
)

const profileTitle = `# Heap profiles of programs under load

"make survey" writes this file by "go test -run TestNightlyForeignPrograms ./tools/survey". The programs are other
people's, in the version that the module proxy has, and this project's runner, in the version of a commit. Each runs
under a load on loopback and is sampled every %d KiB. Then "checkalloc explain --profile FILE --binary PROGRAM --json"
explains the profile. The total objects and bytes are exactly the totals of "go tool pprof -top", or the test fails.
Lines in packages with less than a thousandth of the bytes are not explained.
`

// A program is one from the module proxy that nobody here wrote, or a commit of this project, with a load under which it
// allocates.
type program struct {
	name  string
	main  string // its package main, as parseSubject reads it
	lines int    // how many of its largest lines are in the table
	// added is a file for its package main, "" if the program can write or serve its profile itself.
	added string
	// profile runs the program under the load, and writes its profile.
	profile func(context.Context, run) error
}

var programs = []program{
	{"nats-server", "github.com/nats-io/nats-server/v2@v2.15.2", 70, "", profileNATS},
	{"go-httpbin", "github.com/mccutchen/go-httpbin/v2@v2.26.0/cmd/go-httpbin", 45, pprofServer, profileWeb},
	{"hugo", "github.com/gohugoio/hugo@v0.163.3", 35, "", profileHugo},
	{"runner", ownModule + "@d6ba2dab7cae9b4f279d98c91434b2194db52974/runner", 20, pprofServer, profileRunner},
}

// TestNightlyForeignPrograms writes profile.md. It fails if the totals of a profile are not the ones of pprof, if the
// lines do not add up to them, or if a line that was judged has another reason now.
func TestNightlyForeignPrograms(t *testing.T) {
	w := newWorkbench(t)
	judged, err := readJudgments(judgments)
	if err != nil {
		t.Fatal(err)
	}
	var summary, largest strings.Builder
	for i, p := range programs {
		s, err := parseSubject(p.main)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d of %d: %s", i+1, len(programs), s)
		r, err := w.profile(t.Context(), p, s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		for _, fault := range judged.faults(s, r) {
			t.Error(fault)
		}
		printProfile(&summary, s, r)
		for _, l := range r.Lines[:min(p.lines, len(r.Lines))] {
			fmt.Fprintf(&largest, "| %s | %s:%d | %s | %s | %s | %s |\n", p.name, l.File, l.Line,
				megabytes(l.Bytes), code(l.Code), cell(l.Why+l.Changed), judged.of(s, l))
		}
	}
	text := fmt.Sprintf(profileTitle, sampleRate>>10) + `
| program | lines | explained | changed | MB | MB of its module | objects |
|---|---:|---:|---:|---:|---:|---:|
` + summary.String() + `
## The largest lines

Somebody has read the source of the lines for which the last column has an entry, and said whether the reason is right:
see judged.tsv.

| program | line | MB | code | reason | judged |
|---|---|---:|---|---|---|
` + largest.String()
	if err := os.WriteFile("profile.md", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// printProfile writes the row of a program.
func printProfile(out *strings.Builder, s subject, r *heapprofile.Report) {
	explained, changed := 0, 0
	for _, l := range r.Lines {
		switch {
		case l.Changed != "":
			changed++
		case l.Why != "":
			explained++
		}
	}
	fmt.Fprintf(out, "| %s | %d | %d | %d | %s | %s | %.0f |\n", s, len(r.Lines), explained, changed, megabytes(r.Bytes),
		megabytes(r.ModuleBytes), r.Objects)
}

func megabytes(bytes float64) string { return fmt.Sprintf("%.1f", bytes/1e6) }

// code returns a text as code in a cell of a table.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`` " + cell(text) + " ``"
}

// cell returns a text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// profile builds a program, runs it under its load and explains its profile.
func (w *workbench) profile(ctx context.Context, p program, s subject) (_ *heapprofile.Report, err error) {
	dir, remove, err := w.checkout(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if p.added != "" {
		if err := os.WriteFile(filepath.Join(dir, "profile_server.go"), []byte(p.added), 0o666); err != nil {
			return nil, err
		}
	}
	r := run{dir: filepath.Join(w.dir, "run")}
	r.program, r.profile = filepath.Join(r.dir, "program"), filepath.Join(r.dir, "profile")
	if err := os.Mkdir(r.dir, 0o777); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.dir)) }()
	if _, err := w.output(ctx, dir, "go", "build", "-buildvcs=false", "-o", r.program, "."); err != nil {
		return nil, err
	}
	if err := p.profile(ctx, r); err != nil {
		return nil, err
	}
	out, err := w.output(ctx, dir, w.checkalloc, "explain", "--profile", r.profile, "--binary", r.program, "--json")
	if err != nil {
		return nil, err
	}
	var report heapprofile.Report
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, err
	}
	return &report, w.checkTotals(ctx, r, &report)
}

// checkTotals returns an error if the totals of a report are not what pprof prints, or not the sums of its lines.
func (w *workbench) checkTotals(ctx context.Context, r run, report *heapprofile.Report) error {
	objects, err := w.pprofTotal(ctx, r.profile, "alloc_objects", "count")
	if err != nil {
		return err
	}
	bytes, err := w.pprofTotal(ctx, r.profile, "alloc_space", "bytes")
	if err != nil {
		return err
	}
	if fmt.Sprintf("%.0f", report.Objects) != objects || fmt.Sprintf("%.0f", report.Bytes) != bytes {
		return fmt.Errorf("the report has %.0f objects and %.0f bytes, and pprof prints %s and %s", report.Objects,
			report.Bytes, objects, bytes)
	}
	var ofLines, ofOutside [2]float64
	for _, l := range report.Lines {
		ofLines[0], ofLines[1] = ofLines[0]+l.Objects, ofLines[1]+l.Bytes
	}
	for _, o := range report.Outside {
		ofOutside[0], ofOutside[1] = ofOutside[0]+o.Objects, ofOutside[1]+o.Bytes
	}
	if ofLines != [2]float64{report.ModuleObjects, report.ModuleBytes} ||
		ofLines[0]+ofOutside[0] != report.Objects || ofLines[1]+ofOutside[1] != report.Bytes {
		return fmt.Errorf("the lines have %.0f objects and bytes, what is outside has %.0f, and the sum is not %.0f and %.0f",
			ofLines, ofOutside, report.Objects, report.Bytes)
	}
	return nil
}

// total matches the total that pprof prints above a table.
var total = regexp.MustCompile(`(?m)^Showing nodes accounting for .* of ([0-9]+)B? total$`)

// pprofTotal returns the total of a kind of sample, as pprof prints it.
func (w *workbench) pprofTotal(ctx context.Context, file, sample, unit string) (string, error) {
	out, err := w.output(ctx, w.dir, "go", "tool", "pprof", "-top", "-nodecount=1", "-sample_index="+sample, "-unit="+unit,
		file)
	if err != nil {
		return "", err
	}
	m := total.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("pprof prints no total:\n%s", out)
	}
	return string(m[1]), nil
}
