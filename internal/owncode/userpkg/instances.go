package userpkg

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/escape"
)

// An Instance is a diagnostic on a generic function of another package, which the compiler makes where the function is
// instantiated. The diagnostic names files of the folder by base name.
type Instance struct {
	// Dir is the folder, or only its last elements: the go command repeats the compiler's output from its cache with
	// names relative to a folder that is not known.
	Dir string
	escape.Diagnostic
}

// in reports whether the diagnostic is on a file of a folder.
func (i *Instance) in(dir string) bool {
	if filepath.IsAbs(i.Dir) {
		return i.Dir == dir
	}
	return strings.HasSuffix(filepath.ToSlash(dir), "/"+i.Dir)
}

// maxInstances bounds the part of a report that is about generic functions of other packages, in bytes.
const maxInstances = 2 << 20

// keepInstance keeps a line of the report that is about a file of another package. The standard library's are left out:
// reports are full of them, and its lines are not explained.
func (r *reportWriter) keepInstance(file string, line []byte) {
	if r.dirOf == nil || len(r.instances)+len(line) > maxInstances {
		return
	}
	name := strings.TrimPrefix(file, "./") // as in a diagnostic
	dir, known := r.dirs[name]
	if !known {
		dir = r.dirOf(file)
		r.dirs[name] = dir
	}
	if dir != "" && !r.inLeak(line) {
		r.instances = append(r.instances, line...)
	}
}

// dirOf returns the folder of a file of another package as in Instance.Dir, "" if it is not known or in the standard
// library.
func (p *Package) dirOf(file string) string {
	for _, full := range p.absolute(file) {
		if strings.HasPrefix(full, p.goroot+string(filepath.Separator)) {
			return ""
		}
		// A relative name may mean several files, of which one is there.
		if _, err := os.Stat(full); (err == nil || full == file) && p.shortName(full) != full {
			return filepath.Dir(full)
		}
	}
	rest, ok := belowParents(file)
	if dir := path.Dir(rest); ok && dir != "." {
		return dir
	}
	return ""
}

// instantiated returns the diagnostics that keepInstance kept.
func (r *reportWriter) instantiated() (instances []Instance) {
	found, _ := escape.Parse(r.instances)
	for _, d := range found {
		if !d.Known() {
			continue
		}
		dir := r.dirs[d.File]
		rename := func(file string) string {
			if r.dirs[file] == dir {
				return filepath.Base(file)
			}
			return r.other(file)
		}
		asWritten(&d, rename)
		instances = append(instances, Instance{dir, d})
	}
	return instances
}

// WithInstances returns, in source order, the diagnostics on the package and on its generic functions that other
// packages instantiate. They read as if the package itself had been compiled, although the compiler puts the package's
// name before names that the package declares.
func (p *Package) WithInstances(instances []Instance) []escape.Diagnostic {
	type message struct {
		file      string
		line, col int
		text      string
	}
	messageOf := func(d escape.Diagnostic) message { return message{d.File, d.Line, d.Col, d.Message} }
	known := map[message]bool{}
	for _, d := range p.Built.Diagnostics {
		known[messageOf(d)] = true
	}
	qualifier := regexp.MustCompile(`\b` + regexp.QuoteMeta(p.Name) + `\.`)
	unqualified := func(text string) string { return qualifier.ReplaceAllLiteralString(text, "") }
	all := slices.Clone(p.Built.Diagnostics)
	for _, i := range instances {
		if !i.in(p.Dir) || p.Texts[i.File] == nil {
			continue
		}
		d := i.Diagnostic
		d.Message, d.Flow = unqualified(d.Message), slices.Clone(d.Flow)
		for j := range d.Flow {
			step := &d.Flow[j]
			step.Message, step.Text = unqualified(step.Message), unqualified(step.Text)
		}
		if !known[messageOf(d)] {
			known[messageOf(d)] = true
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, escape.Compare)
	return all
}
