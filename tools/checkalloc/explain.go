package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"onthestack/internal/escape"
	"onthestack/internal/printable"
	"onthestack/internal/progress"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// An explaining is how a package of the reader's is to be explained.
type explaining struct {
	bench   string
	count   int
	tags    string
	timeout time.Duration
	gcflags string
	written
}

// An explanation is a verdict on a package that is no exercise, with the text of its files by base name.
type explanation struct {
	verdict *verdict.Verdict
	files   map[string][]byte
	folder  string // the package's, slash-separated, from the root of its module
	// benchmarks are the functions that could have been measured; nil where nothing was to be.
	benchmarks []string
}

func (e *explanation) source(file string) []byte { return e.files[file] }

// softMemory is how many bytes are used before garbage is collected more often than the runtime would: of a large package, the
// compiler's report alone has tens of millions of bytes.
const softMemory = 160 << 20

// nothing is the pattern of benchmarks that selects none, as with go test.
const nothing = "^$"

// explain tells where a package allocates: exit code 3 where that could not be measured.
func (c *command) explain(ctx context.Context, args []string) (int, error) {
	pattern := "."
	switch {
	case len(args) > 1:
		return 0, usageError("explain takes one package: \"%s explain ./folder\"", c.self)
	case len(args) == 1:
		pattern = args[0]
	}
	if strings.HasSuffix(pattern, ".go") {
		return 0, usageError("%s is a file: explain takes a package, \"%s escape %s\" a file", pattern, c.self, pattern)
	}
	m, err := c.measurement()
	if err != nil {
		return 0, err
	}
	limit := debug.SetMemoryLimit(-1) // only tells it: the reader's own may be lower
	defer debug.SetMemoryLimit(limit)
	debug.SetMemoryLimit(min(limit, softMemory))
	if len(c.releases) > 0 {
		return c.explainReleases(ctx, pattern, m)
	}
	e, err := explainPackage(ctx, progress.New(c.err), toolchain.InPlace{Tags: c.tags}, pattern, m)
	if err != nil {
		return 0, mistaken(err)
	}
	if v := e.verdict; v.Pass && len(v.Benchmarks) == 0 && len(e.benchmarks) > 0 && m.Bench != "." && m.Bench != nothing {
		return 0, usageError("--bench %s selects no benchmark of %s; it has %s, and \"--bench %s\" asks for none", m.Bench, v.Package, strings.Join(e.benchmarks, ", "), nothing)
	}
	shown, err := c.write(e, "explain "+pattern)
	switch {
	case err != nil || shown:
	case c.json:
		err = encode(printable.JSON(c.plain), e.verdict)
	default:
		c.showExplanation(e)
	}
	if err == nil && !e.verdict.Pass {
		return exitFailed, nil
	}
	return exitPassed, err
}

// encode writes a verdict as a line of JSON. What the compiler says, which may be most of it, is never held in memory as a whole.
func encode(w io.Writer, v *verdict.Verdict) error {
	head := *v
	head.Escapes = []escape.Diagnostic{}
	text, err := json.Marshal(&head)
	if err != nil {
		return err
	}
	const list = `"escapes":[`
	before, after, found := bytes.Cut(text, []byte(list))
	if !found {
		return fmt.Errorf("encode the verdict on %s: it has no list of escapes", v.Package)
	}
	out := bufio.NewWriter(w)
	out.Write(before)
	out.WriteString(list)
	for i := range v.Escapes {
		if i > 0 {
			out.WriteByte(',')
		}
		text, err := json.Marshal(&v.Escapes[i])
		if err != nil {
			return err
		}
		out.Write(text)
	}
	out.Write(after)
	out.WriteByte('\n')
	return out.Flush()
}

// measurement is what the flags ask to measure.
func (c *command) measurement() (toolchain.Measurement, error) {
	m := toolchain.Measurement{Bench: c.bench, Limit: c.timeout}
	if _, err := regexp.Compile(c.bench); err != nil {
		return m, usageError("--bench: %v", err)
	}
	if c.count < 1 || c.count > 10000 {
		return m, usageError("--count %d: it is 1 or more, 10000 at most", c.count)
	}
	if c.timeout <= 0 {
		return m, usageError("--timeout %v: it has to be more than nothing", c.timeout)
	}
	if c.count > 1 {
		m.Count = c.count
	}
	return m, nil
}

// unshown is for what several do at a time, or somebody else tells of.
func unshown() *progress.Line { return progress.New(io.Discard) }

// slowly tells who waits what takes so long.
func slowly(line *progress.Line, pkg string) (stop func()) {
	timer := time.AfterFunc(5*time.Second, func() {
		line.Print("building %s … (the first build compiles all that it needs)", pkg)
	})
	return func() { timer.Stop() }
}

// explainPackage builds and measures the package that a pattern names, and tells on the line how far it is.
func explainPackage(ctx context.Context, line *progress.Line, g toolchain.InPlace, pattern string, m toolchain.Measurement) (*explanation, error) {
	defer line.Clear()
	line.Show("reading %s", pattern)
	p, err := g.Find(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	e := &explanation{}
	if e.files, err = p.Files(); err != nil {
		return nil, err
	}
	line.Show("building %s", p.ImportPath)
	stop := slowly(line, p.ImportPath)
	built, err := p.Compile(ctx, m.Bench != nothing)
	stop()
	if err != nil {
		return nil, err
	}
	defer built.Close()
	found := verdict.Foreign{
		ImportPath: p.ImportPath, Dir: p.Dir, Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, Files: e.files,
		Built: built.OK, Diagnostics: built.Diagnostics, Problems: built.Problems, Lines: built.Lines,
	}
	if built.Binary != "" {
		line.Show("measuring %s", p.ImportPath)
		if found.Run, err = p.Measure(ctx, built, m); err != nil {
			return nil, err
		}
	}
	if e.verdict, err = found.Explain(); err != nil {
		return nil, err
	}
	e.benchmarks = built.Benchmarks
	if folder, err := filepath.Rel(p.ModuleDir, p.Dir); err == nil && p.ModuleDir != "" {
		e.folder = filepath.ToSlash(folder)
	}
	return e, nil
}

// mistaken makes a wrong usage of what is wrong with the name of a package.
func mistaken(err error) error {
	var m toolchain.Mistake
	if errors.As(err, &m) {
		return errUsage{m.Error()}
	}
	return err
}

// explainReleases tells how the same package allocates on several releases of Go.
func (c *command) explainReleases(ctx context.Context, pattern string, m toolchain.Measurement) (int, error) {
	releases, err := toolchain.Patches(ctx, c.releases)
	if err != nil {
		return 0, mistaken(err)
	}
	var all []*explanation
	code := exitPassed
	for _, release := range releases {
		if _, err := toolchain.Fetch(ctx, release); err != nil {
			return 0, err
		}
		e, err := explainPackage(ctx, progress.New(c.err), toolchain.InPlace{Tags: c.tags, Release: release}, pattern, m)
		if err != nil {
			return 0, fmt.Errorf("on %s: %w", release, mistaken(err))
		}
		if !e.verdict.Pass {
			code = exitFailed
		}
		all = append(all, e)
	}
	if c.json {
		for _, e := range all {
			if err := encode(printable.JSON(c.plain), e.verdict); err != nil {
				return 0, err
			}
		}
		return code, nil
	}
	c.showReleases(all)
	return code, nil
}
