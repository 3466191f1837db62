package heapprofile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"onthestack/internal/why"
)

// A declared is a function of a file, with its lines, and the lines on which function literals in it begin.
type declared struct {
	first, last int
	literals    []int
}

// sources finds lines of the profile in the sources that are read, which may differ from what the program was built
// from.
type sources struct {
	texts  map[string]map[string][]byte // by import path and base name
	parsed map[[2]string]map[string]declared
	starts map[string]int // the lines on which functions of the profile began, by their names with import paths
}

// functions returns the functions of a file by their names; methods are as the runtime writes them.
func (s *sources) functions(pkg, file string) map[string]declared {
	key := [2]string{pkg, file}
	if found, known := s.parsed[key]; known {
		return found
	}
	found := map[string]declared{}
	s.parsed[key] = found
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, s.texts[pkg][file], parser.SkipObjectResolution)
	if err != nil {
		return found
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		made := declared{first: fset.Position(f.Type.Func).Line, last: fset.Position(f.End()).Line}
		ast.Inspect(f, func(n ast.Node) bool {
			if literal, ok := n.(*ast.FuncLit); ok {
				made.literals = append(made.literals, fset.Position(literal.Pos()).Line)
			}
			return true
		})
		found[why.FuncName(f)] = made
	}
	return found
}

// find returns the line of a frame in the sources. If there is none any more, changed says why. A function that moved as
// a whole takes its lines along; the profile has the line on which each function began.
func (s *sources) find(f frame) (line int, changed string) {
	texts := s.texts[f.pkg]
	switch {
	case f.unknown != "":
		return f.line, f.unknown
	case texts[f.file] == nil:
		return f.line, "the package has no file of this name any more"
	case !strings.HasSuffix(f.file, ".go"): // a //line directive names it
		return f.line, ""
	}
	functions := s.functions(f.pkg, f.file)
	name, d, ok := enclosing(functions, f.local())
	if !ok {
		if why.LineText(texts[f.file], f.line) != "" && isInitializer(f.local()) {
			return f.line, ""
		}
		return f.line, "the function is not declared in this file any more"
	}
	line = f.line
	closure := f.local() != name && f.local() != name+"[...]"
	switch start := max(s.starts[f.pkg+"."+name], s.starts[f.pkg+"."+name+"[...]"]); {
	case f.start == 0: // it is not known where the function was
	case !closure:
		line += d.first - f.start
	case start > 0:
		line += d.first - start
	case slices.Contains(d.literals, f.start), strings.Contains(f.local(), "-range"): // of a loop over a function
	case len(d.literals) == 1:
		line += d.literals[0] - f.start
	default:
		return f.line, "the function has changed"
	}
	if line < d.first || line > d.last {
		return f.line, "the function has changed: the line is outside of it"
	}
	return line, ""
}

// enclosing returns the declared function in which a function is: itself, or the one around a closure. The name of a
// closure may begin with the function into which it was inlined.
func enclosing(functions map[string]declared, local string) (name string, d declared, ok bool) {
	name = why.Outermost(local)
	for _, name := range []string{name, strings.TrimSuffix(name, "[...]")} {
		if d, ok = functions[name]; ok {
			return name, d, true
		}
	}
	last := -1
	for function, lines := range functions {
		i := strings.LastIndex(local, "."+function)
		if i <= last {
			continue
		}
		if rest := local[i+1+len(function):]; rest == "" || strings.ContainsRune(".-", rune(rest[0])) {
			name, d, ok, last = function, lines, true, i
		}
	}
	return name, d, ok
}

// isInitializer reports whether a function initializes variables of a package. It is declared nowhere.
func isInitializer(local string) bool {
	return local == "init" || strings.HasPrefix(local, "init.") || strings.HasPrefix(local, "glob..") ||
		strings.HasPrefix(local, "map.init")
}
