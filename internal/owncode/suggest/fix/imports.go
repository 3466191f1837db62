package fix

import (
	"go/ast"
	"go/types"
	"go/version"
	"path"
	"regexp"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// importing returns the name by which a file refers to a package, and the edits that import it if it is not imported.
// The name is "" if something else in the file has it.
func (s *search) importing(file *ast.File, path_ string) (name string, edits []analysis.TextEdit) {
	for _, spec := range file.Imports {
		if value, err := strconv.Unquote(spec.Path.Value); err != nil || value != path_ {
			continue
		}
		if p, ok := s.TypesInfo.Implicits[spec].(*types.PkgName); ok {
			return p.Name(), nil
		}
		if spec.Name != nil && spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec.Name.Name, nil
		}
	}
	if (path_ == "slices" || path_ == "cmp") && s.olderThan("go1.21") {
		return "", nil // the module promises to build with a release that does not have it
	}
	name = path.Base(path_)
	if s.Pkg.Scope().Lookup(name) != nil {
		return "", nil
	}
	taken := false
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name && s.TypesInfo.Defs[id] != nil {
			if v, ok := s.TypesInfo.Defs[id].(*types.Var); !ok || !v.IsField() {
				taken = true
			}
		}
		return true
	})
	for _, spec := range file.Imports {
		if p, ok := s.TypesInfo.Implicits[spec].(*types.PkgName); ok && p.Name() == name ||
			spec.Name != nil && spec.Name.Name == name {
			taken = true
		}
	}
	if taken {
		return "", nil
	}
	at := s.lineEnd(file.Name.End()) // Apply puts it with the other imports
	return name, []analysis.TextEdit{edit(at, at, "\nimport "+strconv.Quote(path_)+"\n")}
}

// olderThan reports whether the package is for Go releases older than a version.
func (s *search) olderThan(release string) bool {
	v := s.Pkg.GoVersion()
	return v != "" && version.Compare(v, release) < 0
}

// typeName returns how a type is written in a file, with the imports that this needs. It is not ok if a package has no
// name there, or does not export a type, or if a function declares the type.
func (s *search) typeName(file *ast.File, t types.Type) (name string, imports []analysis.TextEdit, ok bool) {
	ok = true
	base := t
	if pointer, isPointer := t.(*types.Pointer); isPointer {
		base = pointer.Elem()
	}
	if named, isNamed := base.(*types.Named); isNamed && named.Obj().Pkg() == s.Pkg {
		ok = named.Obj().Parent() == s.Pkg.Scope()
	}
	name = types.TypeString(t, func(p *types.Package) string {
		if p == s.Pkg {
			return ""
		}
		as, edits := s.importing(file, p.Path())
		ok = ok && as != ""
		imports = append(imports, edits...)
		return as
	})
	return name, imports, ok && !unexportedName.MatchString(name)
}

var unexportedName = regexp.MustCompile(`\.[^\p{Lu}]`)
