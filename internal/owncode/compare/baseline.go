package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"

	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// BaselineSchema names the form of a Baseline in a file.
const BaselineSchema = "checkalloc/baseline/1"

// A Baseline is what the benchmarks of a module's packages allocate, in a form for a file in its repository: a line of
// JSON for each benchmark, and one for each source line that allocates. It has neither times nor line numbers, so the
// file changes only if a figure does, or the text of a line that allocates.
type Baseline struct {
	head     baselineHead
	packages map[string]*verdict.Verdict // by folder; see Side
	replaced map[string]*verdict.Verdict // the verdicts that Set has replaced
}

// A baselineHead is the first line of the file.
type baselineHead struct {
	Schema string `json:"schema"`
	Module string `json:"module"`
	Go     string `json:"go"`
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
}

// A baselineRow is each following line: a benchmark with its figures, or a source line that allocates.
type baselineRow struct {
	Dir       string   `json:"dir"` // slash-separated, from the module's root, which is "."
	Benchmark string   `json:"benchmark,omitempty"`
	Allocs    *float64 `json:"allocs,omitempty"`
	Bytes     *float64 `json:"bytes,omitempty"`
	File      string   `json:"file,omitempty"` // base name
	Func      string   `json:"func,omitempty"` // the declared function
	Code      string   `json:"code,omitempty"`
	Why       string   `json:"why,omitempty"`
	Shared    bool     `json:"shared,omitempty"`
	// In are the allocs/op and B/op of each benchmark in which the line allocates.
	In map[string][2]float64 `json:"in,omitempty"`
}

// NewBaseline returns a baseline of a module without packages.
func NewBaseline(module string) *Baseline {
	return &Baseline{baselineHead{Schema: BaselineSchema, Module: module}, map[string]*verdict.Verdict{},
		map[string]*verdict.Verdict{}}
}

// Module returns the path of the module.
func (b *Baseline) Module() string { return b.head.Module }

// Dirs returns the folders of the packages, sorted.
func (b *Baseline) Dirs() []string { return slices.Sorted(maps.Keys(b.packages)) }

// Side returns the package in a folder of the module as a side of a comparison. The folder is slash-separated, and "."
// is the module's root.
func (b *Baseline) Side(dir, label string) Side {
	return Side{Label: label, Verdict: b.packages[dir], baseline: true}
}

// near reports whether a figure may be the same as before. A figure that is not whole is an average, and one of random
// inputs differs from run to run. Then a tenth of the benchmark's figure, total, is no difference.
func near(old, new, total float64) bool {
	whole := old == math.Trunc(old) && new == math.Trunc(new)
	return difference(old, new) == 0 || !whole && math.Abs(new-old) <= total/10
}

// Set replaces the package in a folder. Figures that may be the same as before stay as they are, so that they do not
// change the file. The error says why the package has no figures.
func (b *Baseline) Set(dir string, s Side) error {
	if err := measured(s); err != nil {
		return err
	}
	b.packages[dir], b.replaced[dir] = s.Verdict, b.packages[dir]
	b.head.Go, b.head.GOOS, b.head.GOARCH = s.Verdict.Go, s.Verdict.GOOS, s.Verdict.GOARCH
	return nil
}

// Remove removes the package in a folder.
func (b *Baseline) Remove(dir string) { delete(b.packages, dir) }

// Size returns the numbers of packages and of benchmarks.
func (b *Baseline) Size() (packages, benchmarks int) {
	for _, v := range b.packages {
		benchmarks += len(v.Benchmarks)
	}
	return len(b.packages), benchmarks
}

// Bytes returns the content of the file.
func (b *Baseline) Bytes() []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	write := func(row any) {
		if err := e.Encode(row); err != nil {
			panic(err) // the figures are finite
		}
	}
	write(b.head)
	for _, dir := range b.Dirs() {
		rows := baselineRows(dir, b.packages[dir])
		if old := b.replaced[dir]; old != nil {
			settle(rows, baselineRows(dir, old))
		}
		for _, row := range rows {
			write(row)
		}
	}
	return out.Bytes()
}

// baselineRows returns the rows of a package: benchmarks by name, then lines by file and function. Lines are not in the
// order of their file, so that moving a function changes nothing.
func baselineRows(dir string, v *verdict.Verdict) (rows []*baselineRow) {
	for _, m := range slices.SortedStableFunc(slices.Values(v.Benchmarks), func(a, b verdict.Benchmark) int {
		return cmp.Compare(a.Name, b.Name)
	}) {
		rows = append(rows, &baselineRow{Dir: dir, Benchmark: m.Name, Allocs: &m.AllocsPerOp, Bytes: &m.BytesPerOp})
	}
	lines := map[position]*baselineRow{}
	for _, a := range v.Allocations {
		l := lines[position{a.File, a.Line}]
		if l == nil {
			l = &baselineRow{Dir: dir, File: a.File, Func: why.Outermost(a.Func), Code: a.Code, Why: a.Why,
				In: map[string][2]float64{}}
			lines[position{a.File, a.Line}] = l
		}
		sum := l.In[a.Benchmark]
		l.In[a.Benchmark] = [2]float64{sum[0] + a.AllocsPerOp, sum[1] + a.BytesPerOp}
		l.Shared = l.Shared || a.Shared
	}
	for _, at := range slices.SortedFunc(maps.Keys(lines), func(a, b position) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(lines[a].Func, lines[b].Func), a.line-b.line)
	}) {
		rows = append(rows, lines[at])
	}
	return rows
}

// settle replaces the figures of rows by the figures of old rows if they are near to each other.
func settle(rows, old []*baselineRow) {
	before := map[[4]string][]*baselineRow{} // rows that have no counterpart yet
	for _, r := range old {
		before[r.key()] = append(before[r.key()], r)
	}
	totals := map[string][2]float64{}
	for _, r := range rows {
		if r.Benchmark != "" {
			totals[r.Benchmark] = [2]float64{*r.Allocs, *r.Bytes}
		}
		was := before[r.key()]
		if len(was) == 0 {
			continue
		}
		before[r.key()] = was[1:]
		if total := totals[r.Benchmark]; r.Benchmark != "" && near(*was[0].Allocs, *r.Allocs, total[0]) &&
			near(*was[0].Bytes, *r.Bytes, total[1]) {
			r.Allocs, r.Bytes = was[0].Allocs, was[0].Bytes
		}
		for name, in := range r.In {
			earlier, known := was[0].In[name]
			if known && near(earlier[0], in[0], totals[name][0]) && near(earlier[1], in[1], totals[name][1]) {
				r.In[name] = earlier
			}
		}
	}
}

// key returns what identifies the row's benchmark or line.
func (r *baselineRow) key() [4]string { return [4]string{r.Benchmark, r.File, r.Func, normal(r.Code)} }

// remakes is how a file that cannot be read is replaced.
const remakes = "remove the file, and --update writes it again"

// conflict matches the first line of an unresolved conflict.
var conflict = regexp.MustCompile(`(?m)^<<<<<<<( |\r?$)`)

// MaxBaseline is the largest size of the file, in bytes.
const MaxBaseline = maxSize

// ReadBaseline reads what Bytes returned. Its errors begin with the name, and the line if it is known.
func ReadBaseline(data []byte, name string) (*Baseline, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: is empty: %s", name, remakes)
	}
	if at := conflict.FindIndex(data); at != nil {
		n := bytes.Count(data[:at[0]], []byte("\n")) + 1
		return nil, fmt.Errorf("%s:%d: has a merge conflict: %s", name, n, remakes)
	}
	head, rows, _ := bytes.Cut(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
	b := NewBaseline("")
	b.head.Schema = ""
	if err := json.Unmarshal(head, &b.head); err != nil || b.head.Schema == "" {
		return nil, fmt.Errorf("%s: is not a baseline: its first line does not name the schema %s", name,
			BaselineSchema)
	}
	if b.head.Schema != BaselineSchema {
		return nil, fmt.Errorf("%s: its schema is %q, and this program reads %q: use the release of checkalloc that "+
			"wrote it, or %s", name, b.head.Schema, BaselineSchema, remakes)
	}
	n, known := 1, map[[2]string]bool{}
	for row := range bytes.Lines(rows) {
		n++
		if row = bytes.TrimSpace(row); len(row) == 0 {
			continue
		}
		if err := b.add(row, n, known); err != nil {
			return nil, fmt.Errorf("%s:%d: is no line of a baseline: %w: %s", name, n, err, remakes)
		}
	}
	return b, nil
}

// add adds line n of the file. Its number takes the place of the number of the source line. known has the benchmarks of
// the lines before it, by folder and name.
func (b *Baseline) add(row []byte, n int, known map[[2]string]bool) error {
	var line baselineRow
	if err := json.Unmarshal(row, &line); err != nil {
		return err
	}
	var figures []float64
	for _, in := range line.In {
		figures = append(figures, in[:]...)
	}
	if line.Benchmark != "" && line.Allocs != nil && line.Bytes != nil {
		figures = append(figures, *line.Allocs, *line.Bytes)
	}
	if line.Dir == "" || len(figures) == 0 || (line.Benchmark == "") == (line.In == nil) {
		return errors.New("it has neither a benchmark nor a line of source")
	}
	if slices.Min(figures) < 0 || slices.Max(figures) > maxFigure {
		return errors.New("it has a figure that cannot be one per operation")
	}
	v := b.packages[line.Dir]
	if v == nil {
		v = &verdict.Verdict{Package: path.Join(b.head.Module, line.Dir), Go: b.head.Go, GOOS: b.head.GOOS,
			GOARCH: b.head.GOARCH}
		b.packages[line.Dir] = v
	}
	if line.Benchmark != "" {
		if known[[2]string{line.Dir, line.Benchmark}] {
			return fmt.Errorf("%s is there already", line.Benchmark)
		}
		known[[2]string{line.Dir, line.Benchmark}] = true
		v.Benchmarks = append(v.Benchmarks, verdict.Benchmark{Name: line.Benchmark, AllocsPerOp: *line.Allocs,
			BytesPerOp: *line.Bytes})
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(line.In)) {
		if !known[[2]string{line.Dir, name}] {
			return fmt.Errorf("no line before it is of %s", name)
		}
		v.Allocations = append(v.Allocations, verdict.Allocation{Benchmark: name, File: line.File, Line: n,
			Func: line.Func, Code: line.Code, AllocsPerOp: line.In[name][0], BytesPerOp: line.In[name][1],
			Why: line.Why, Shared: line.Shared})
	}
	return nil
}

// hideNumbers removes the numbers of a baseline's lines, which are not line numbers of the source.
func (c *Comparison) hideNumbers() {
	for _, l := range c.Lines {
		for i := range l.Old.Places {
			p := &l.Old.Places[i]
			p.order, p.Line = p.Line, 0
		}
	}
}
