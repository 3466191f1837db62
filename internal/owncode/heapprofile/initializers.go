package heapprofile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/safefile"
	"onthestack/internal/why"
)

// The function that initializes the variables of a package is compiled from all its files, and the runtime writes one
// file for each function into a profile. So such a frame may name the file of another variable, unless the package has
// variables in one file only.

// initializer is the name of that function without the import path.
const initializer = "init"

// An initialization is of a variable, on the lines of a file from first to last.
type initialization struct {
	file        string
	first, last int
	text        []byte // the source of the file
}

// placeInitializers finds the files of the frames of some profiles that initialize variables of packages.
func (f *framer) placeInitializers(packages map[string]userpkg.Metadata, profiles []*Profile) {
	known := map[string][]initialization{}
	for _, p := range profiles {
		for _, l := range p.data.Location {
			frames := f.at(l).frames
			for i := range frames {
				at := &frames[i]
				meta, shown := packages[at.pkg]
				if !shown || at.local() != initializer {
					continue
				}
				if known[at.pkg] == nil {
					known[at.pkg] = initializations(meta)
				}
				inlined := ""
				if i > 0 {
					inlined = frames[i-1].function
				}
				at.file, at.unknown = initialized(known[at.pkg], at.file, at.line, inlined)
			}
		}
	}
}

// initialized returns the file in which a variable is initialized on a line, of several the one where a function is called
// there that is inlined. If there is no such file, or more than one, it returns the given one, and unknown says so.
func initialized(all []initialization, given string, line int, inlined string) (file, unknown string) {
	var files, calling []string
	name := strings.TrimSuffix(inlined, "[...]")
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, i := range all {
		if line < i.first || i.last < line || slices.Contains(files, i.file) {
			continue
		}
		files = append(files, i.file)
		if strings.Contains(why.LineText(i.text, line), name) {
			calling = append(calling, i.file)
		}
	}
	if len(calling) == 1 {
		files = calling
	}
	switch len(files) {
	case 0:
		return given, "no variable of the package is initialized on this line any more"
	case 1:
		return files[0], ""
	}
	return given, "variables are initialized on this line of " + strings.Join(files, " and of ") +
		", and the profile does not say which"
}

// initializations returns the initializations of variables in the files of a package. Files that do not parse have none:
// the compiler rejects them too.
func initializations(meta userpkg.Metadata) []initialization {
	all := []initialization{}
	for _, name := range slices.Concat(meta.GoFiles, meta.CgoFiles) {
		text, err := safefile.ReadLinked(filepath.Join(meta.Dir, name), name, userpkg.MaxSource)
		if err != nil {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range parsed.Decls {
			declared, ok := d.(*ast.GenDecl)
			if !ok || declared.Tok != token.VAR {
				continue
			}
			for _, s := range declared.Specs {
				if spec := s.(*ast.ValueSpec); len(spec.Values) > 0 {
					all = append(all, initialization{name, fset.Position(spec.Pos()).Line, fset.Position(spec.End()).Line,
						text})
				}
			}
		}
	}
	return all
}
