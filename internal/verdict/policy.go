package verdict

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/why"
)

// policy returns the constructs in a solver's files that a solution may not have, because they could imitate the
// checker's report or carry a result from one call to the next. A file that does not parse is left to the build stage,
// so that the reader sees the compiler's own errors. unparsed has the parse errors, in case the compiler accepts such a
// file: parser and compiler have different limits, for example on nesting. Source is the exercise with the solver's
// files.
func policy(e *exercise.Exercise, edited map[string][]byte, source *Package) (problems, unparsed []Problem) {
	var files []*ast.File
	var checked []*policyCheck
	for _, name := range slices.Sorted(maps.Keys(edited)) {
		file := source.syntax[name]
		if file == nil {
			unparsed = append(unparsed, parseProblem(name, source.parseErrors[name]))
			continue
		}
		files = append(files, file)
		p := &policyCheck{exercise: e, fset: source.fset, name: name, file: file}
		checked = append(checked, p)
		if n := len(file.Imports); n > maxImports {
			p.report(file.Imports[maxImports].Pos(), "this file has %d imports, and at most %d are allowed",
				n, maxImports)
			continue
		}
		p.imports(file)
		p.directives(file)
		p.declarations(file)
		p.statements(file)
		p.foreignVariables(file)
		p.locations(file)
	}
	fixed := map[string]bool{}
	for _, p := range checked {
		for _, name := range p.fixed {
			fixed[name] = true
		}
	}
	for _, p := range checked {
		p.assignments(fixed)
		problems = append(problems, p.problems...)
	}
	if len(unparsed) > 0 || len(files) == 0 {
		return problems, unparsed
	}
	for _, p := range lent(source.fset, files) {
		if len(problems) < maxProblems {
			problems = append(problems, p)
		}
	}
	return problems, nil
}

const (
	maxImports  = 50  // in one file; every selector expression is looked up among them
	maxProblems = 100 // reported problems of one file
)

func parseProblem(name string, err error) Problem {
	const message = "this file cannot be parsed, so its imports and declarations cannot be checked: %s"
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		// A //line directive may have changed the file name and the line. The file is known from the caller; its line
		// is not.
		p := Problem{File: name, Message: fmt.Sprintf(message, list[0].Msg)}
		if at := list[0].Pos; at.Filename == name {
			p.Line, p.Col = at.Line, at.Column
		}
		return p
	}
	return Problem{File: name, Message: fmt.Sprintf(message, err)}
}

type policyCheck struct {
	exercise *exercise.Exercise
	fset     *token.FileSet
	name     string
	file     *ast.File
	problems []Problem
	// fixed are the names of package-level variables that hold an error which nothing may replace.
	fixed []string
}

func (p *policyCheck) report(pos token.Pos, format string, args ...any) {
	if len(p.problems) >= maxProblems {
		return
	}
	// The position ignores //line directives: the policy reports them too, and they must not change where.
	at := p.fset.PositionFor(pos, false)
	p.problems = append(p.problems, Problem{File: p.name, Line: at.Line, Col: at.Column,
		Message: fmt.Sprintf(format, args...)})
}

func (p *policyCheck) imports(file *ast.File) {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			path = spec.Path.Value
		}
		switch {
		case !p.exercise.Allows(path):
			p.report(spec.Pos(), "import %q is not allowed here: this exercise is solved with %s", path,
				list(p.exercise.Imports))
		case spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_"):
			p.report(spec.Pos(), "import %q by its name, not as %q", path, spec.Name.Name)
		}
	}
}

// directives finds comments that the toolchain interprets: //go:…, //line and /*line, //export, //extern and build
// constraints.
func (p *policyCheck) directives(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			text := c.Text
			if isDirective(text) {
				p.report(c.Pos(), "compiler directives are not allowed here: remove %q", firstLine(text))
			}
		}
	}
}

func isDirective(comment string) bool {
	// A line directive has a colon; "//line up the bytes" is a sentence.
	if rest, ok := strings.CutPrefix(comment[2:], "line "); ok {
		return strings.Contains(rest, ":")
	}
	// "//export" belongs to cgo.
	for _, prefix := range []string{"//go:", "//gccgo:", "//export ", "//extern "} {
		if strings.HasPrefix(comment, prefix) {
			return true
		}
	}
	// An old build constraint may have spaces after the slashes.
	return strings.HasPrefix(comment, "//") && strings.HasPrefix(strings.TrimSpace(comment[2:]), "+build")
}

func (p *policyCheck) declarations(file *ast.File) {
	if file.Name.Name != p.exercise.Package {
		p.report(file.Name.Pos(), "package %s: the file belongs to package %s", file.Name.Name, p.exercise.Package)
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			switch {
			case d.Recv == nil && d.Name.Name == "init":
				p.report(d.Name.Pos(), "func init is not allowed here: nothing may run before the tests do")
			case d.Recv == nil && d.Name.Name == "TestMain":
				p.report(d.Name.Pos(), "func TestMain is not allowed here: the checker has its own")
			case d.Body == nil:
				p.report(d.Name.Pos(), "func %s has no body: it would be linked from elsewhere", d.Name.Name)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR && !p.keepsNothing(d) {
				p.report(d.Pos(), "package-level variables are not allowed here: each call must do its own work, "+
					"even when several run at once")
			}
		}
	}
}

// keepsNothing reports whether the variables of a declaration cannot carry anything from one call to the next, and no
// code of the solver runs for them: each is blank and holds a zero value, which proves that a type implements an
// interface, or holds an error that errors.New makes of a text. The names of those errors are added to p.fixed.
func (p *policyCheck) keepsNothing(d *ast.GenDecl) bool {
	var errors []string
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) != len(v.Names) {
			return false
		}
		for i, name := range v.Names {
			switch {
			case name.Name == "_" && isZero(v.Values[i]):
			case v.Type == nil && p.isError(v.Values[i]):
				errors = append(errors, name.Name)
			default:
				return false
			}
		}
	}
	p.fixed = append(p.fixed, errors...)
	return true
}

// isZero reports whether an expression is written as a zero value: (*T)(nil), T{} or &T{}.
func isZero(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.UnaryExpr:
		literal, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return ok && e.Op == token.AND && len(literal.Elts) == 0
	case *ast.CallExpr:
		_, pointer := ast.Unparen(e.Fun).(*ast.StarExpr)
		arg, ok := onlyArgument(e).(*ast.Ident)
		return pointer && ok && arg.Name == "nil"
	}
	return false
}

// isError reports whether an expression is errors.New of a text.
func (p *policyCheck) isError(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "New" {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	text, isText := onlyArgument(call).(*ast.BasicLit)
	return ok && importPath(p.file, x.Name) == "errors" && isText && text.Kind == token.STRING
}

// onlyArgument returns the argument of a call that has one, nil of others.
func onlyArgument(call *ast.CallExpr) ast.Expr {
	if len(call.Args) != 1 || call.Ellipsis.IsValid() {
		return nil
	}
	return ast.Unparen(call.Args[0])
}

// assignments finds assignments to the variables of the package that are fixed, and their addresses. Scopes are
// ignored: a local variable of that name has to be renamed.
func (p *policyCheck) assignments(fixed map[string]bool) {
	check := func(e ast.Expr) {
		if e == nil {
			return
		}
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && fixed[id.Name] {
			p.report(id.Pos(), "%s is an error of the package, which nothing may change: a variable of a function "+
				"needs another name", id.Name)
		}
	}
	if len(fixed) == 0 {
		return
	}
	ast.Inspect(p.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					check(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				check(n.Key)
				check(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				check(n.X)
			}
		}
		return true
	})
}

const outlives = "a goroutine could outlive the call and carry a result to the next"

// goroutineStarters are functions of other packages that start a goroutine.
var goroutineStarters = []string{"time.AfterFunc", "context.AfterFunc", "iter.Pull", "iter.Pull2"}

// clocks are functions of package time whose results depend on when they are called, or that take time themselves. A
// solution that reads a clock could recognize a benchmark's loop, and allocate only elsewhere.
var clocks = []string{"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.Tick", "time.NewTimer",
	"time.NewTicker"}

// statements finds uses of clocks, go statements, and uses of goroutineStarters, since a goroutine could outlive the
// call. If an exercise allows package sync, any method named Go counts as WaitGroup.Go, since types are not known here.
// An exercise about goroutines allows both go statements and WaitGroup.Go, and its tests find goroutines that outlive
// the call. The goroutines of goroutineStarters begin later or are suspended, so these functions stay forbidden.
func (p *policyCheck) statements(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if p.exercise.Goroutines {
				break
			}
			p.report(n.Pos(), "go statements are not allowed here: "+outlives)
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			switch {
			case n.Sel.Name == "Go" && !p.exercise.Goroutines && slices.Contains(p.exercise.Imports, "sync"):
				p.report(n.Sel.Pos(), "calling a method Go is not allowed here: "+outlives)
			case x != nil && slices.Contains(goroutineStarters, importPath(file, x.Name)+"."+n.Sel.Name):
				p.report(n.Pos(), "%s.%s is not allowed here: "+outlives, x.Name, n.Sel.Name)
			case x != nil && slices.Contains(clocks, importPath(file, x.Name)+"."+n.Sel.Name):
				p.report(n.Pos(), "%s.%s is not allowed here: what a call does may depend on its arguments only, "+
					"not on the time", x.Name, n.Sel.Name)
			}
		}
		return true
	})
}

// reuseMemory has the variables of other packages whose methods reuse memory between calls, with the reason
// for the reader.
var reuseMemory = map[string]string{"io.Discard": "it reads into memory that all calls share"}

// foreignVariables finds assignments to variables of other packages, and their addresses. A solution could otherwise
// keep a result from one call to the next in io.EOF.
func (p *policyCheck) foreignVariables(file *ast.File) {
	check := func(e ast.Expr, what string) {
		if sel := p.foreign(file, e); sel != nil {
			p.report(e.Pos(), "%s %s.%s is not allowed here: it belongs to another package", what, sel.X, sel.Sel.Name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				check(e, "assigning to")
			}
		case *ast.IncDecStmt:
			check(n.X, "assigning to")
		case *ast.RangeStmt:
			check(n.Key, "assigning to")
			check(n.Value, "assigning to")
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				check(n.X, "the address of")
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if why := reuseMemory[importPath(file, x.Name)+"."+n.Sel.Name]; why != "" {
					p.report(n.Pos(), "%s.%s is not allowed here: %s", x.Name, n.Sel.Name, why)
				}
			}
		}
		return true
	})
}

// locations finds assignments to what a *time.Location points to, in an exercise with package time: that may be
// *time.UTC, which belongs to all. No other package that exercises allow has such variables.
func (p *policyCheck) locations(file *ast.File) {
	if !p.exercise.Allows("time") {
		return
	}
	names := namesOfLocations(file)
	generic := false // in generic code, any type may be a Location
	check := func(to ast.Expr, from ast.Node) {
		star, ok := ast.Unparen(to).(*ast.StarExpr)
		if ok && (generic || names.mentionedIn(star) || names.mentionedIn(from)) {
			p.report(star.Pos(), "this may assign to a *time.Location, which is not allowed here: it may belong to a "+
				"variable of package time")
		}
	}
	for _, d := range file.Decls {
		f, _ := d.(*ast.FuncDecl)
		generic = f != nil && isGeneric(f)
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if n.Tok == token.ASSIGN {
						check(to, n.Rhs[min(i, len(n.Rhs)-1)])
					}
				}
			case *ast.RangeStmt:
				check(n.Key, n.X)
				check(n.Value, n.X)
			}
			return true
		})
	}
}

// locationNames has the names that may stand for a *time.Location in a file. Types are not known here, so any name may
// have that type which is declared with it, or which gets a value from an expression with such a name.
type locationNames struct {
	file  *ast.File
	names map[string]bool
}

func namesOfLocations(file *ast.File) locationNames {
	l := locationNames{file, map[string]bool{
		"Location": true, "FixedZone": true, "LoadLocation": true, "LoadLocationFromTZData": true,
	}}
	for known := 0; known < len(l.names); {
		known = len(l.names)
		ast.Inspect(file, func(n ast.Node) bool { l.declared(n); return true })
	}
	return l
}

// mentionedIn reports whether one of the names is in n.
func (l locationNames) mentionedIn(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || l.names[n.Name]
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && importPath(l.file, x.Name) == "time" {
				found = found || n.Sel.Name == "UTC" || n.Sel.Name == "Local"
			}
		}
		return !found
	})
	return found
}

// add adds the name that to is, if one of the names is in from.
func (l locationNames) add(to, from ast.Node) {
	if sel, ok := to.(*ast.SelectorExpr); ok {
		to = sel.Sel
	}
	if id, ok := to.(*ast.Ident); ok && id.Name != "_" && l.mentionedIn(from) {
		l.names[id.Name] = true
	}
}

// declared adds the names that n declares or assigns to.
func (l locationNames) declared(n ast.Node) {
	switch n := n.(type) {
	case *ast.TypeSpec:
		if _, isStruct := n.Type.(*ast.StructType); !isStruct { // a struct's fields have names of their own
			l.add(n.Name, n.Type)
		}
	case *ast.Field:
		for _, name := range n.Names {
			l.add(name, n.Type)
		}
	case *ast.FuncDecl:
		if n.Type.Results != nil {
			l.add(n.Name, n.Type.Results)
		}
	case *ast.ValueSpec:
		for _, name := range n.Names {
			if n.Type != nil {
				l.add(name, n.Type)
			}
			for _, value := range n.Values {
				l.add(name, value)
			}
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			l.add(to, n.Rhs[min(i, len(n.Rhs)-1)])
		}
	case *ast.RangeStmt:
		l.add(n.Key, n.X)
		l.add(n.Value, n.X)
	case *ast.TypeSwitchStmt:
		if a, ok := n.Assign.(*ast.AssignStmt); ok {
			for _, clause := range n.Body.List {
				for _, t := range clause.(*ast.CaseClause).List {
					l.add(a.Lhs[0], t)
				}
			}
		}
	}
}

// isGeneric reports whether a function or its receiver's type has type parameters.
func isGeneric(f *ast.FuncDecl) bool {
	generic := f.Type.TypeParams != nil
	if f.Recv != nil {
		ast.Inspect(f.Recv, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.IndexExpr, *ast.IndexListExpr:
				generic = true
			}
			return true
		})
	}
	return generic
}

// foreign returns the variable of another package that e denotes or is a part of ("unicode.Latin" for
// "unicode.Latin.R16[0].Lo"), nil for none.
func (p *policyCheck) foreign(file *ast.File, e ast.Expr) *ast.SelectorExpr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.foreign(file, e.X)
	case *ast.StarExpr:
		return p.foreign(file, e.X)
	case *ast.IndexExpr:
		return p.foreign(file, e.X)
	case *ast.SliceExpr:
		return p.foreign(file, e.X)
	case *ast.TypeAssertExpr:
		return p.foreign(file, e.X)
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && importPath(file, x.Name) != "" {
			return e
		}
		return p.foreign(file, e.X)
	}
	return nil
}

// importPath returns the path of the package that the file imports under a name, "" for none. Scopes are ignored, so a
// local variable of that name is mistaken for the package, and the solver has to rename it.
func importPath(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && why.PackageName(path) == name {
			return path
		}
	}
	return ""
}

func list(imports []string) string {
	if len(imports) == 0 {
		return "no imports"
	}
	quoted := make([]string, len(imports))
	for i, path := range imports {
		quoted[i] = strconv.Quote(path)
	}
	return strings.Join(quoted, ", ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
