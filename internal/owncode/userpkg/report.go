package userpkg

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/gocommand"
	"onthestack/internal/harness"
)

// A reportWriter parses the output of the go command as it is printed, and keeps what concerns one package. Reports on
// large packages have many millions of bytes, most of them about generic functions of other packages and about code
// that the compiler generates.
type reportWriter struct {
	path  string            // of the package
	names map[string]string // a file as the compiler names it → base name of the package's own file, "" for others
	base  func(file string) string
	other func(file string) string // returns the name, for the reader, of a file that is not the package's
	dirOf func(file string) string // returns the folder of such a file, "" for none; nil if instances are not kept

	// flows is how many more bytes are kept about parameters that leak to results and to other parameters. They are
	// most of the report on a large package, and explain no allocation. A negative number is no limit.
	flows int

	line      []byte
	inPackage bool // in a section about the package
	leak      bool // in a flow that flows limits
	rest      []byte

	instances []byte            // what the report says of generic functions of other packages
	dirs      map[string]string // the folders of their files, by their names in diagnostics

	parser *escape.Parser
	found  []escape.Diagnostic
	lines  []string
}

// Limits in bytes: on a line of the compiler, on text that is not part of its report, and on flows; see
// reportWriter.flows.
const (
	maxLine  = 1 << 20
	maxRest  = 256 << 10
	maxFlows = 4 << 20
)

// reportOf returns a writer for the report on the package, of a build in the folder dir.
func (p *Package) reportOf(dir string) *reportWriter {
	overlaid := filepath.Join(dir, overlayDir)
	r := newReport(p.ImportPath, func(file string) string {
		for _, full := range p.absolute(file) {
			dir, name := filepath.Split(full)
			dir = filepath.Clean(dir)
			if _, known := p.Texts[name]; known &&
				(dir == overlaid || path.Dir(filepath.ToSlash(file)) == p.ImportPath || sameFolder(dir, p.Dir)) {
				return name
			}
		}
		return p.replayed(file)
	}, p.shortName)
	r.dirOf = p.dirOf
	return r
}

// sameFolder reports whether two names are of one folder, which may have several through symbolic links.
func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	infoA, err := os.Stat(a)
	if err != nil {
		return false
	}
	infoB, err := os.Stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}

// replayed returns the base name of a file of the package that is named relative to a folder which is not known, "" if
// it is none. The go command repeats the compiler's output from its cache as it has printed it first, relative to the
// folder in which it ran then: "../html/page.go", "html/page.go". Only the folders before the name are certain, and
// they may be on the other side of a symbolic link.
func (p *Package) replayed(file string) string {
	if filepath.IsAbs(file) {
		return ""
	}
	rest, above := belowParents(file)
	dir, name := path.Split(rest)
	if _, known := p.Texts[name]; !known || dir == "" && !above {
		return ""
	}
	if !endsWith(p.Dir, dir) {
		if resolved, err := filepath.EvalSymlinks(p.Dir); err != nil || !endsWith(resolved, dir) {
			return ""
		}
	}
	for _, full := range p.absolute(file) {
		if _, err := os.Stat(full); err == nil {
			return "" // a file of another package
		}
	}
	return name
}

// endsWith reports whether the name of a folder ends with some elements, each of which a slash follows.
func endsWith(folder, elements string) bool {
	return strings.HasSuffix(filepath.ToSlash(folder)+"/", "/"+elements)
}

// belowParents returns the end of a name that begins with "../", in which folders are separated by slashes.
func belowParents(file string) (rest string, ok bool) {
	rest = filepath.ToSlash(file)
	for strings.HasPrefix(rest, "../") {
		rest, ok = rest[len("../"):], true
	}
	return rest, ok
}

// absolute returns the files that a name may mean: the go command names a file relative to the package's folder or, if
// that is shorter, relative to the folder in which it runs.
func (p *Package) absolute(file string) []string {
	if filepath.IsAbs(file) || strings.HasPrefix(file, "<") {
		return []string{file}
	}
	names := []string{filepath.Join(p.Dir, file)}
	if wd, err := filepath.Abs(p.config.Dir); err == nil {
		names = append(names, filepath.Join(wd, file))
	}
	return names
}

// shortName returns the name, for the reader, of a file of another package: without folders of this machine.
func (p *Package) shortName(file string) string {
	for _, full := range p.absolute(file) {
		for _, root := range []string{filepath.Join(p.goroot, "src"), p.modCache, p.Module.Dir} {
			if rest, ok := strings.CutPrefix(full, root+string(filepath.Separator)); ok && root != "" {
				if _, err := os.Stat(full); err == nil || filepath.IsAbs(file) {
					return filepath.ToSlash(rest)
				}
			}
		}
	}
	return file
}

// newReport returns a writer for the report on the package with an import path and on its external tests.
func newReport(importPath string, base, other func(string) string) *reportWriter {
	return &reportWriter{
		path: importPath, names: map[string]string{}, dirs: map[string]string{}, base: base, other: other,
		parser: escape.NewParser(), flows: -1,
	}
}

// Write implements io.Writer.
func (r *reportWriter) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		r.line = append(r.line, part[:min(len(part), maxLine-min(maxLine, len(r.line)))]...)
		if part[len(part)-1] == '\n' {
			r.take(r.line)
			r.line = r.line[:0]
		}
	}
	return len(p), nil
}

// take processes a line, and keeps or discards it.
func (r *reportWriter) take(line []byte) {
	if line[len(line)-1] != '\n' {
		line = append(line, '\n') // the line was longer than maxLine
	}
	if pkg, ok := strings.CutPrefix(string(line[:min(len(line), 4096)]), "# "); ok {
		pkg, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(pkg), "[]"), " ")
		r.inPackage = pkg == r.path || pkg == r.path+"_test"
	} else if file, ok := fileOf(line); r.inPackage && ok {
		base, known := r.names[file]
		if !known {
			base = r.base(file)
			r.names[file] = base
		}
		if base == "" {
			r.keepInstance(file, line)
			r.keepRest(line)
			return
		}
	} else if !r.inPackage {
		r.keepRest(line)
		return
	}
	if r.inLeak(line) && r.flows >= 0 {
		if r.flows < len(line) {
			r.flows = 0
			return
		}
		r.flows -= len(line)
	}
	r.parser.Line(string(bytes.TrimRight(line, "\r\n")))
}

// inLeak reports whether a line is part of a flow that says how a parameter leaks, except to the heap.
func (r *reportWriter) inLeak(line []byte) bool {
	_, message, ok := bytes.Cut(line, []byte(": "))
	if !ok {
		r.leak = false
		return false
	}
	message = bytes.TrimRight(message, "\r\n")
	if bytes.HasPrefix(message, []byte("  ")) {
		return r.leak
	}
	r.leak = bytes.HasPrefix(message, []byte("parameter ")) && bytes.HasSuffix(message, []byte(":")) &&
		!bytes.Contains(message, []byte(" leaks to {heap} "))
	return false
}

// keepRest keeps a line that is not about the package's files.
func (r *reportWriter) keepRest(line []byte) {
	if len(r.rest)+len(line) <= maxRest &&
		!harness.Added(path.Base(filepath.ToSlash(string(line[:max(0, bytes.IndexByte(line, ':'))])))) {
		r.rest = append(r.rest, line...)
	}
}

// fileOf returns the Go file with which a line of the compiler begins. A step of a flow may end with another file.
func fileOf(line []byte) (string, bool) {
	for _, anchor := range []string{".go:", ">:"} {
		if i := strings.Index(string(line[:min(len(line), 4096)]), anchor); i >= 0 &&
			!bytes.Contains(line[:i], []byte(": ")) {
			return string(line[:i+len(anchor)-1]), true
		}
	}
	return "", false
}

// finish ends the report. It must be called once, after the last Write.
func (r *reportWriter) finish() {
	if len(r.line) > 0 {
		r.take(r.line)
	}
	r.found, r.lines = r.parser.Finish()
	r.parser = nil
}

// result returns what was found, once the report is finished.
func (r *reportWriter) result() Report {
	rename := func(file string) string {
		if base := r.base(file); base != "" {
			return base
		}
		return r.other(file)
	}
	report := Report{Diagnostics: []escape.Diagnostic{}}
	for _, d := range r.found {
		asWritten(&d, rename)
		if d.Known() {
			report.Diagnostics = append(report.Diagnostics, d)
		} else {
			report.Problems = append(report.Problems, d)
		}
	}
	r.found = nil
	report.Diagnostics = withoutTwins(report.Diagnostics)
	slices.SortStableFunc(report.Diagnostics, escape.Compare)
	others, rest := escape.Parse(r.rest)
	for _, d := range others {
		if !d.Known() {
			d.File = rename(d.File)
			report.Problems = append(report.Problems, d)
		}
	}
	for _, line := range slices.Concat(r.lines, rest) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "FAIL\t") || line == "FAIL" {
			continue
		}
		report.Lines = append(report.Lines, gocommand.HideProxies(line))
	}
	for i := range report.Problems {
		report.Problems[i].Message = gocommand.HideProxies(report.Problems[i].Message)
	}
	return report
}

// asWritten renames the files of a diagnostic, and gives what it says the names that the sources have.
func asWritten(d *escape.Diagnostic, rename func(file string) string) {
	d.File, d.Message = rename(d.File), harness.Original(d.Message)
	for i := range d.Flow {
		step := &d.Flow[i]
		step.File = rename(step.File)
		step.Message, step.Text = harness.Original(step.Message), harness.Original(step.Text)
	}
}

// withoutTwins removes diagnostics that the compiler repeats for a generic function which the external test package
// uses, unless they are only there.
func withoutTwins(report []escape.Diagnostic) []escape.Diagnostic {
	type place struct {
		file      string
		line, col int
		kind      escape.Kind
	}
	at := func(d escape.Diagnostic) place { return place{d.File, d.Line, d.Col, d.Kind} }
	outside := func(d escape.Diagnostic) bool {
		return strings.HasSuffix(d.Package, "_test") && !strings.HasSuffix(d.File, "_test.go")
	}
	if !slices.ContainsFunc(report, outside) {
		return report
	}
	inside := map[place]bool{}
	for _, d := range report {
		inside[at(d)] = inside[at(d)] || !outside(d)
	}
	return slices.DeleteFunc(report, func(d escape.Diagnostic) bool { return outside(d) && inside[at(d)] })
}
