package compare

import (
	"cmp"
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
	text     string   // with blanks normalized
	code     string   // trimmed
	fn       string   // the function's name as the verdict has it, or as it is declared
	declared string   // the function's name as declared returns it
	allocs   bool     // in any benchmark
	in       *match   // nil before it is matched
	found    []string // its words
}

func allocates(l *line) bool { return l.allocs }

// allocating returns the lines that allocate.
func allocating(lines []*line) []*line {
	return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !l.allocs })
}

// A textPair is a file on both sides: all lines except blank ones if whole is true, otherwise only the lines that
// allocate. The files that only one side has are one pair, for lines in a file that was renamed.
type textPair struct {
	old, new []*line
	whole    bool
}

// pairTexts returns the files that either verdict names. A line that allocates in one side's file may be in a file of
// the other side in which nothing allocates.
func pairTexts(old, new Side) []textPair {
	names := map[string]bool{}
	for _, s := range []Side{old, new} {
		for _, a := range s.Verdict.Allocations {
			names[a.File] = true
		}
		for _, d := range s.Verdict.Escapes {
			names[d.File] = true
		}
	}
	before, after := allocatingLines(old), allocatingLines(new)
	var all []textPair
	others := textPair{whole: true}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, wholeOld := old.lines(name, before[name])
		b, wholeNew := new.lines(name, after[name])
		t := textPair{a, b, wholeOld && wholeNew}
		if len(a) > 0 && len(b) > 0 {
			all = append(all, t)
			continue
		}
		others = textPair{append(others.old, a...), append(others.new, b...), others.whole && (wholeOld || wholeNew)}
	}
	all = append(all, others)
	for i, t := range all {
		if !t.whole {
			all[i].old, all[i].new = allocating(t.old), allocating(t.new)
		}
	}
	return all
}

// allocatingLines returns the lines that allocate on a side, by file and number.
func allocatingLines(s Side) map[string]map[int]*line {
	files := map[string]map[int]*line{}
	for _, a := range s.Verdict.Allocations {
		if files[a.File] == nil {
			files[a.File] = map[int]*line{}
		}
		if files[a.File][a.Line] == nil {
			code := strings.TrimSpace(a.Code)
			text := cmp.Or(normal(code), normal("\x00"+a.Why))
			files[a.File][a.Line] = &line{position: position{a.File, a.Line}, text: text, code: code, fn: a.Func,
				declared: declared(a.Func), allocs: true}
		}
	}
	return files
}

// lines returns the lines of a file except blank ones, given the lines that allocate. It returns only the given lines,
// and whole is false, if the side has no source of the file, or other source than was measured.
func (s Side) lines(file string, allocating map[int]*line) (lines []*line, whole bool) {
	var text []byte
	if s.Source != nil {
		text = s.Source(file)
	}
	if !agrees(text, allocating) {
		for _, n := range slices.Sorted(maps.Keys(allocating)) {
			lines = append(lines, allocating[n])
		}
		return lines, false
	}
	around := functions(file, text)
	for i, code := range strings.Split(string(text), "\n") {
		l := allocating[i+1]
		if code = strings.TrimSpace(code); code == "" && l == nil {
			continue
		}
		if l == nil {
			l = &line{position: position{file, i + 1}, fn: around[i+1], declared: declared(around[i+1])}
		}
		if l.code == "" {
			l.code, l.text = code, normal(code)
		}
		lines = append(lines, l)
	}
	return lines, true
}

// functions returns the names of the functions in a file by their lines, as far as it parses.
func functions(file string, text []byte) map[int]string {
	around := map[int]string{}
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	for _, decl := range parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			from, to := fset.PositionFor(f.Pos(), false), fset.PositionFor(f.End(), false) // without //line directives
			for n := from.Line; n <= to.Line; n++ {
				around[n] = why.FuncName(f)
			}
		}
	}
	return around
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
