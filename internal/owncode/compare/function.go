package compare

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/why"
)

// A position is a line of a file.
type position struct {
	file string
	line int
}

// A line is a source line to be matched.
type line struct {
	position
	text    string // with blanks normalized
	code    string // trimmed
	fn      string // the function's name as the verdict has it, or as it is declared
	allocs  bool   // in any benchmark
	matched bool
	found   []string // its words
}

// A function is the lines of a declared function: all lines except blank ones if its source is known, otherwise the
// lines that the verdict names.
type function struct {
	name  string // from declared, with "#2" for the second of that name; "" for code outside functions
	whole bool   // lines has all lines of the source
	lines []*line
}

// allocating returns the lines that allocate.
func (f *function) allocating() []*line {
	return slices.DeleteFunc(slices.Clone(f.lines), func(l *line) bool { return !l.allocs })
}

// files returns the files that either verdict names. A line that allocates in one side's file may be in a file of the
// other side in which nothing allocates.
func files(sides ...Side) map[string]bool {
	all := map[string]bool{}
	for _, s := range sides {
		for _, a := range s.Verdict.Allocations {
			all[a.File] = true
		}
		for _, d := range s.Verdict.Escapes {
			all[d.File] = true
		}
	}
	return all
}

// functions splits a side's lines into functions, in the order of files and lines. For a file without source, or with
// other source than was measured, it has only the lines that allocate.
func functions(s Side, files map[string]bool) []*function {
	byFile := map[string]map[int]*line{}
	for name := range files {
		byFile[name] = map[int]*line{}
	}
	for _, a := range s.Verdict.Allocations {
		if byFile[a.File][a.Line] == nil {
			code := strings.TrimSpace(a.Code)
			byFile[a.File][a.Line] = &line{position: position{a.File, a.Line}, text: cmp.Or(normal(code), "\x00"+a.Why),
				code: code, fn: a.Func, allocs: true}
		}
	}
	d := functionSplitter{byName: map[string]*function{}}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		allocating := byFile[file]
		if s.Source != nil {
			if text := s.Source(file); agrees(text, allocating) {
				d.source(file, text, allocating)
				continue
			}
		}
		for _, n := range slices.Sorted(maps.Keys(allocating)) {
			d.add(declared(allocating[n].fn), false, allocating[n])
		}
	}
	return d.all
}

// agrees reports whether a file's source has the allocating lines where the verdict has them.
func agrees(text []byte, allocating map[int]*line) bool {
	if len(text) == 0 {
		return false
	}
	lines := strings.Split(string(text), "\n")
	for n, l := range allocating {
		if n < 1 || n > len(lines) || l.code != "" && strings.TrimSpace(lines[n-1]) != l.code {
			return false
		}
	}
	return true
}

// A functionSplitter splits the lines of a side into functions.
type functionSplitter struct {
	all    []*function
	byName map[string]*function
}

func (d *functionSplitter) add(name string, whole bool, l *line) {
	f := d.byName[name]
	if f == nil {
		f = &function{name: name, whole: true}
		d.byName[name] = f
		d.all = append(d.all, f)
	}
	f.whole = f.whole && whole
	f.lines = append(f.lines, l)
}

// source adds the lines of a file's source. If it does not parse, the declarations that do are used.
func (d *functionSplitter) source(file string, text []byte, allocating map[int]*line) {
	names := map[int]string{} // by line
	short := map[int]string{}
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	for _, decl := range parsed.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		plain := declared(why.FuncName(fn))
		name := plain
		for n := 2; d.byName[name] != nil; n++ { // init, and files for other platforms
			name = fmt.Sprintf("%s#%d", plain, n)
		}
		d.byName[name] = &function{name: name, whole: true}
		d.all = append(d.all, d.byName[name])
		from, to := fset.PositionFor(fn.Pos(), false), fset.PositionFor(fn.End(), false) // without //line directives
		for n := from.Line; n <= to.Line; n++ {
			names[n], short[n] = name, why.FuncName(fn)
		}
	}
	for i, code := range strings.Split(string(text), "\n") {
		l := allocating[i+1]
		if code = strings.TrimSpace(code); code == "" && l == nil {
			continue
		}
		if l == nil {
			l = &line{position: position{file, i + 1}, text: normal(code), code: code, fn: short[i+1]}
		}
		if l.code == "" {
			l.code, l.text = code, normal(code)
		}
		d.add(names[i+1], true, l)
	}
}

// declared returns the name of the declaration that a function is in, given its name in the runtime's format:
// "Replace" for "Replace.func1", "T.Read" for "(*T[...]).Read-fm", "" for the initialization of variables. The rest
// of the name differs between releases of Go.
func declared(name string) string {
	name = decoration.ReplaceAllString(name, "")
	if initialization.MatchString(name) {
		return ""
	}
	return compilerPart.ReplaceAllString(name, "")
}

var (
	decoration     = regexp.MustCompile(`\[.*\]|[()*]|-.*`) // type arguments, parts of receivers, "-fm", "-range1"
	initialization = regexp.MustCompile(`^(init|init\.\D.*|glob\..*)$`)
	compilerPart   = regexp.MustCompile(`\.(func|gowrap|deferwrap)?\d+(\..*)?$`) // "func1", "gowrap2", "1"
)

// normal returns a line's text with runs of blanks replaced by one space, since formatting may change them.
func normal(code string) string { return strings.Join(strings.Fields(code), " ") }
