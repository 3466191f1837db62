package fix

import (
	"go/ast"
	"go/types"
	"go/version"
	"path"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// importing returns the name by which a file refers to a package, and the edits that import it if it is not imported.
// If something else has that name, the file with the edits does not type-check.
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
	at := s.lineEnd(file.Name.End()) // Apply puts it with the other imports
	return name, []analysis.TextEdit{edit(at, at, "\nimport "+strconv.Quote(path_)+"\n")}
}

// olderThan reports whether the package is for Go releases older than a version.
func (s *search) olderThan(release string) bool {
	v := s.Pkg.GoVersion()
	return v != "" && version.Compare(v, release) < 0
}

// typeName returns how a type is written in a file, with the imports that this needs. A type that has no name there
// does not type-check.
func (s *search) typeName(file *ast.File, t types.Type) (name string, imports []analysis.TextEdit) {
	name = types.TypeString(t, func(p *types.Package) string {
		if p == s.Pkg {
			return ""
		}
		as, edits := s.importing(file, p.Path())
		imports = append(imports, edits...)
		return as
	})
	return name, imports
}
