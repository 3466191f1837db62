package ownership

import (
	"fmt"
	"go/ast"
	"go/token"
)

// Limits on what is type-checked, because package go/types has none itself. They turn most of what takes it very long
// into a finding; a server checks types in a process with limits besides.
const (
	maxNesting = 5000 // of syntax nodes
	// maxSize bounds a constant, in bytes, and a type, in syntax nodes, once every declaration that it uses is
	// substituted.
	maxSize = 1 << 20
)

// bounds returns a finding if the files would take the type checker a long time or much memory, nil otherwise.
func bounds(files []*ast.File) *Finding {
	s := sizes{declared: map[string][]ast.Expr{}, known: map[string]int{}, generic: map[string]*ast.FieldList{}}
	for _, file := range files {
		depth := 0
		var deep ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				depth--
				return true
			}
			if depth++; depth > maxNesting && deep == nil {
				deep = n
			}
			if deep != nil {
				depth-- // Inspect makes no call with nil for a node that it does not descend into.
				return false
			}
			switch d := n.(type) {
			case *ast.GenDecl:
				s.declare(d)
			case *ast.FuncDecl:
				if d.Type.TypeParams != nil && d.Type.Results != nil {
					s.generic[d.Name.Name] = d.Type.Results
				}
			}
			return true
		})
		if deep != nil {
			return &Finding{deep.Pos(),
				fmt.Sprintf("this is nested more than %d deep, so the policy cannot check it: write it in smaller "+
					"pieces",
					maxNesting)}
		}
	}
	for _, file := range files {
		var large ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				if n.Tok != token.CONST && n.Tok != token.TYPE {
					break
				}
				for _, spec := range n.Specs {
					for _, name := range names(spec) {
						if large == nil && s.of(name) >= maxSize {
							large = name
						}
					}
				}
			case *ast.IndexExpr, *ast.IndexListExpr:
				if large == nil && s.size(n.(ast.Expr)) >= maxSize {
					large = n
				}
			case *ast.CallExpr:
				if large == nil && s.result(n) != nil && s.size(n) >= maxSize {
					large = n
				}
			}
			return large == nil
		})
		if large != nil {
			return &Finding{large.Pos(), fmt.Sprintf("this constant or type is made of more than %d parts once each "+
				"declaration in it is written out, so the policy cannot check it: make it smaller", maxSize)}
		}
	}
	return nil
}

// sizes estimates the sizes of constants and types with all declarations substituted that they use. It identifies
// declarations by name alone.
type sizes struct {
	declared map[string][]ast.Expr
	known    map[string]int            // 0 for a name whose size is being computed
	generic  map[string]*ast.FieldList // the results of generic functions
}

// result returns the results of the generic function that is called, nil for another call. Type arguments that are
// inferred are as large as the arguments' types: each call around another one multiplies them.
func (s *sizes) result(call *ast.CallExpr) *ast.FieldList {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		return s.generic[id.Name]
	}
	return nil
}

func names(spec ast.Spec) []*ast.Ident {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		return spec.Names
	case *ast.TypeSpec:
		return []*ast.Ident{spec.Name}
	}
	return nil
}

func (s *sizes) declare(d *ast.GenDecl) {
	var repeated []ast.Expr
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.declared[spec.Name.Name] = append(s.declared[spec.Name.Name], spec.Type)
		case *ast.ValueSpec:
			if d.Tok != token.CONST {
				continue
			}
			if len(spec.Values) > 0 {
				repeated = spec.Values
			}
			for i, name := range spec.Names {
				if i < len(repeated) {
					s.declared[name.Name] = append(s.declared[name.Name], repeated[i])
				}
			}
		}
	}
}

func (s *sizes) of(id *ast.Ident) int {
	declared := s.declared[id.Name]
	if len(declared) == 0 {
		return 1
	}
	if size, ok := s.known[id.Name]; ok {
		if size > 0 {
			return size
		}
		if len(declared) > 1 {
			return maxSize // mutually dependent declarations in several scopes: their names do not determine a size
		}
		return 1 // a recursive type
	}
	s.known[id.Name] = 0
	size := 0
	for _, e := range declared {
		size = min(size+s.size(e), maxSize)
	}
	s.known[id.Name] = size
	return size
}

func (s *sizes) size(e ast.Node) int {
	size := 1
	ast.Inspect(e, func(n ast.Node) bool {
		if size >= maxSize {
			return false
		}
		switch n := n.(type) {
		case *ast.Ident:
			size += s.of(n)
		case *ast.BasicLit:
			size += len(n.Value)
		case *ast.SelectorExpr:
			size += s.size(n.X)
			return false
		case *ast.Field:
			size += max(1, len(n.Names)) * s.size(n.Type)
			return false
		case *ast.IndexExpr:
			size += s.size(n.X) * (1 + s.size(n.Index))
			return false
		case *ast.CallExpr:
			if results := s.result(n); results != nil {
				arguments := 1
				for _, a := range n.Args {
					arguments = min(arguments+s.size(a), maxSize)
				}
				size += s.size(results) * arguments
				return false
			}
		case *ast.IndexListExpr:
			arguments := 1
			for _, a := range n.Indices {
				arguments += s.size(a)
			}
			size += s.size(n.X) * arguments
			return false
		}
		return true
	})
	return min(size, maxSize)
}
