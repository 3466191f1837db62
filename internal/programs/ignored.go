package programs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"

	"onthestack/internal/harness"
)

// absentFunctions fail on every call under WebAssembly, where there is neither a pipe nor another process.
var absentFunctions = map[string][]string{
	"os":      {"Pipe", "StartProcess"},
	"os/exec": {"LookPath"},
	"syscall": {"Pipe", "StartProcess"},
}

// absentMethods of exec.Cmd fail in the same way.
var absentMethods = []string{"Run", "Start", "Output", "CombinedOutput"}

// ignored tells of the calls of absent functions whose errors the program ignores, in its Go files. The program would
// not notice that such a call fails.
func (f *Files) ignored(goos string) (all []string) {
	for _, name := range f.names {
		if path.Ext(name) != ".go" {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, f.text[name], parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports it
		}
		scope := newAbsentScope(file)
		for n := range ast.Preorder(file) {
			if call := ignoredCall(n); call != nil {
				if function := scope.absent(call); function != "" {
					all = append(all, fmt.Sprintf("%s:%d: %s always fails here (%s/wasm has none), and the program "+
						"ignores its error", name, fset.PositionFor(call.Pos(), false).Line, function, goos))
				}
			}
		}
	}
	return all
}

// An absentScope knows the names of a file with which it can call absent functions.
type absentScope struct {
	packages map[string]string // the import path of each package that has some, by the name that the file gives it
	commands map[string]bool   // the variables that hold an exec.Cmd; without types, all variables of the same name do
}

func newAbsentScope(file *ast.File) absentScope {
	s := absentScope{packages: map[string]string{}, commands: map[string]bool{}}
	for _, spec := range file.Imports {
		imported := harness.Imported(spec)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if absentFunctions[imported] != nil {
			s.packages[name] = imported
		}
	}
	for n := range ast.Preorder(file) {
		if assign, ok := n.(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && s.isCommand(assign.Rhs[0]) {
			if name, ok := assign.Lhs[0].(*ast.Ident); ok {
				s.commands[name.Name] = true
			}
		}
	}
	return s
}

// isCommand reports whether a value is an exec.Cmd.
func (s absentScope) isCommand(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return s.commands[x.Name]
	case *ast.CallExpr:
		imported, name := s.function(x)
		return imported == "os/exec" && (name == "Command" || name == "CommandContext")
	}
	return false
}

// function returns the import path and the name of a called function if its package has absent ones.
func (s absentScope) function(call *ast.CallExpr) (imported, name string) {
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
		if x, ok := selector.X.(*ast.Ident); ok {
			return s.packages[x.Name], selector.Sel.Name
		}
	}
	return "", ""
}

// absent returns the absent function that is called, as "os.Pipe" or "exec.Cmd.Run", and "" for any other.
func (s absentScope) absent(call *ast.CallExpr) string {
	if imported, name := s.function(call); slices.Contains(absentFunctions[imported], name) {
		return path.Base(imported) + "." + name
	}
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(absentMethods, selector.Sel.Name) &&
		s.isCommand(selector.X) {
		return "exec.Cmd." + selector.Sel.Name
	}
	return ""
}

// ignoredCall returns the call of a statement that does not use the call's last result, which is the error; nil for any
// other node.
func ignoredCall(n ast.Node) *ast.CallExpr {
	var value ast.Expr
	switch n := n.(type) {
	case *ast.ExprStmt:
		value = n.X
	case *ast.AssignStmt:
		if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && len(n.Rhs) == 1 {
			value = n.Rhs[0]
		}
	case *ast.ValueSpec:
		if n.Names[len(n.Names)-1].Name == "_" && len(n.Values) == 1 {
			value = n.Values[0]
		}
	case *ast.GoStmt:
		return n.Call
	case *ast.DeferStmt:
		return n.Call
	}
	call, _ := value.(*ast.CallExpr)
	return call
}
