package verdict

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/harness"
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
		file := source.Syntax[name]
		if file == nil {
			unparsed = append(unparsed, parseProblem(name, source.parseErrors[name]))
			continue
		}
		files = append(files, file)
		p := &policyCheck{exercise: e, fset: source.Fset, name: name, file: file}
		checked = append(checked, p)
		if n := len(file.Imports); n > maxImports {
			p.report(file.Imports[maxImports].Pos(), "this file has %d imports, and at most %d are allowed",
				n, maxImports)
			continue
		}
		p.imports()
		p.directives()
		p.declarations()
		p.statements()
		p.foreignVariables()
		p.locations()
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
	found := lent(source.Fset, files)
	return append(problems, found[:min(len(found), max(0, maxProblems-len(problems)))]...), nil
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

func (p *policyCheck) imports() {
	for _, spec := range p.file.Imports {
		switch path := harness.Imported(spec); {
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
func (p *policyCheck) directives() {
	for _, group := range p.file.Comments {
		for _, c := range group.List {
			if isDirective(c.Text) {
				line, _, _ := strings.Cut(c.Text, "\n")
				p.report(c.Pos(), "compiler directives are not allowed here: remove %q", line)
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

func (p *policyCheck) declarations() {
	if name := p.file.Name; name.Name != p.exercise.Package {
		p.report(name.Pos(), "package %s: the file belongs to package %s", name.Name, p.exercise.Package)
	}
	for _, decl := range p.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			switch {
			case d.Recv == nil && d.Name.Name == "init":
				p.report(d.Name.Pos(), "func init is not allowed here: nothing may run before the tests do")
			case d.Recv == nil && d.Name.Name == "TestMain":
				p.report(d.Name.Pos(), "func TestMain is not allowed here: the checker has its own")
			case d.Body == nil:
				p.report(d.Name.Pos(), "func %s has no body: it would be linked from elsewhere", d.Name.Name)
			case d.Recv != nil && d.Name.Name == "AppendText" && p.exercise.Allows("encoding/json"):
				p.report(d.Name.Pos(), "method AppendText is not allowed here: package json calls it with memory of its own, "+
					"which all calls share")
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
	if !ok || imported(p.file, call.Fun) != "errors.New" {
		return false
	}
	text, ok := onlyArgument(call).(*ast.BasicLit)
	return ok && text.Kind == token.STRING
}

// onlyArgument returns the argument of a call that has one, nil of others.
func onlyArgument(call *ast.CallExpr) ast.Expr {
	if len(call.Args) != 1 || call.Ellipsis.IsValid() {
		return nil
	}
	return ast.Unparen(call.Args[0])
}

// A write is code that may change a variable: an assignment to it, of from if that is known, or the operator & (AND).
type write struct {
	to   ast.Expr
	from ast.Node
	tok  token.Token
}

// writes returns the writes in root, without declarations.
func writes(root ast.Node) (all []write) {
	add := func(to ast.Expr, from ast.Node, tok token.Token) {
		if to != nil && tok != token.DEFINE {
			all = append(all, write{to, from, tok})
		}
	}
	for n := range ast.Preorder(root) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				add(to, n.Rhs[min(i, len(n.Rhs)-1)], n.Tok)
			}
		case *ast.IncDecStmt:
			add(n.X, nil, n.Tok)
		case *ast.RangeStmt:
			add(n.Key, n.X, n.Tok)
			add(n.Value, n.X, n.Tok)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X, nil, n.Op)
			}
		}
	}
	return all
}

// assignments finds assignments to the variables of the package that are fixed, and their addresses. Scopes are
// ignored: a local variable of that name has to be renamed.
func (p *policyCheck) assignments(fixed map[string]bool) {
	if len(fixed) == 0 {
		return
	}
	for _, w := range writes(p.file) {
		if id, ok := ast.Unparen(w.to).(*ast.Ident); ok && fixed[id.Name] {
			p.report(id.Pos(), "%s is an error of the package, which nothing may change: a variable of a function "+
				"needs another name", id.Name)
		}
	}
}

// Reasons why a solution may not use a function. If it read a clock, it could recognize a benchmark's loop, and
// allocate only elsewhere.
const (
	outlives = "a goroutine could outlive the call and carry a result to the next"
	isClock  = "what a call does may depend on its arguments only, not on the time"
)

// forbidden has what solutions may not use of other packages, with the reason: functions that start a goroutine,
// functions of package time whose results depend on when they are called, or that take time themselves, and variables
// whose methods reuse memory between calls.
var forbidden = map[string]string{
	"time.AfterFunc": outlives, "context.AfterFunc": outlives, "iter.Pull": outlives, "iter.Pull2": outlives,
	"time.Now": isClock, "time.Since": isClock, "time.Until": isClock, "time.Sleep": isClock, "time.After": isClock,
	"time.Tick": isClock, "time.NewTimer": isClock, "time.NewTicker": isClock,
	"io.Discard": "it reads into memory that all calls share",
}

// statements finds uses of what is forbidden, and go statements. If an exercise allows package sync, any method named
// Go counts as WaitGroup.Go, since types are not known here. An exercise about goroutines allows both go statements and
// WaitGroup.Go, and its tests find goroutines that outlive the call. The goroutines of forbidden functions begin later
// or are suspended, so these functions stay forbidden.
func (p *policyCheck) statements() {
	for n := range ast.Preorder(p.file) {
		switch n := n.(type) {
		case *ast.GoStmt:
			if !p.exercise.Goroutines {
				p.report(n.Pos(), "go statements are not allowed here: "+outlives)
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "Go" && !p.exercise.Goroutines && slices.Contains(p.exercise.Imports, "sync") {
				p.report(n.Sel.Pos(), "calling a method Go is not allowed here: "+outlives)
			} else if why := forbidden[imported(p.file, n)]; why != "" {
				p.report(n.Pos(), "%s.%s is not allowed here: %s", n.X, n.Sel.Name, why)
			}
		}
	}
}

// foreignVariables finds assignments to variables of other packages, and their addresses. A solution could otherwise
// keep a result from one call to the next in io.EOF.
func (p *policyCheck) foreignVariables() {
	for _, w := range writes(p.file) {
		what := "assigning to"
		if w.tok == token.AND {
			what = "the address of"
		}
		if sel := p.foreign(w.to); sel != nil {
			p.report(w.to.Pos(), "%s %s.%s is not allowed here: it belongs to another package", what, sel.X,
				sel.Sel.Name)
		}
	}
}

// locations finds assignments to what a *time.Location points to, in an exercise with package time: that may be
// *time.UTC, which belongs to all. No other package that exercises allow has such variables.
func (p *policyCheck) locations() {
	if !p.exercise.Allows("time") {
		return
	}
	names := namesOfLocations(p.file)
	for _, d := range p.file.Decls {
		f, _ := d.(*ast.FuncDecl)
		generic := f != nil && isGeneric(f) // in generic code, any type may be a Location
		for _, w := range writes(d) {
			star, ok := ast.Unparen(w.to).(*ast.StarExpr)
			if ok && w.tok == token.ASSIGN && (generic || names.mentionedIn(star) || names.mentionedIn(w.from)) {
				p.report(star.Pos(), "this may assign to a *time.Location, which is not allowed here: it may belong to "+
					"a variable of package time")
			}
		}
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
			name := imported(l.file, n)
			found = found || name == "time.UTC" || name == "time.Local"
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
	return f.Type.TypeParams != nil ||
		f.Recv.NumFields() > 0 && strings.Contains(types.ExprString(f.Recv.List[0].Type), "[")
}

// foreign returns the variable of another package that e denotes or is a part of ("unicode.Latin" for
// "unicode.Latin.R16[0].Lo"), nil for none.
func (p *policyCheck) foreign(e ast.Expr) *ast.SelectorExpr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		case *ast.SelectorExpr:
			if imported(p.file, x) != "" {
				return x
			}
			e = x.X
		default:
			return nil
		}
	}
}

// imported returns the function or variable of another package that e is, "time.Now" or "math/rand.Int", "" for none.
func imported(file *ast.File, e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok {
			if path := importPath(file, x.Name); path != "" {
				return path + "." + sel.Sel.Name
			}
		}
	}
	return ""
}

// importPath returns the path of the package that the file imports under a name, "" for none. Scopes are ignored, so a
// local variable of that name is mistaken for the package, and the solver has to rename it.
func importPath(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		path := harness.Imported(spec)
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
