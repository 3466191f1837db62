package ownership

import (
	"bytes"
	"flag"
	"fmt"
	"go/constant"
	"go/format"
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/exercise"
)

var update = flag.Bool("update", false, "rewrite api.txtar from the standard library")

// listed are the packages that api.txtar has in addition to the imports of exercises. An author may well allow them
// next.
var listed = []string{
	"bufio", "bytes", "cmp", "container/heap", "container/list", "container/ring", "context", "encoding",
	"encoding/base64", "encoding/binary",
	"encoding/hex", "errors", "fmt", "hash", "hash/crc32", "hash/fnv", "hash/maphash", "io", "iter", "maps",
	"math", "math/bits",
	"math/rand/v2", "slices", "sort", "strconv", "strings", "sync", "sync/atomic", "time", "unicode",
	"unicode/utf16", "unicode/utf8",
}

// TestAPI holds api.txtar against the standard library of the Go release that it was written for.
func TestAPI(t *testing.T) {
	std := importer.Default()
	paths := slices.Clone(listed)
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog {
		paths = append(paths, e.Imports...)
	}
	written := map[string][]byte{}
	for len(paths) > 0 {
		path := paths[0]
		if paths = paths[1:]; written[path] != nil || path == "unsafe" {
			continue
		}
		pkg, err := std.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		text, imports := declare(pkg)
		if written[path], err = format.Source(text); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, text)
		}
		paths = append(paths, imports...)
	}
	release := strings.Join(strings.SplitN(runtime.Version(), ".", 3)[:2], ".")
	archive := &txtar.Archive{Comment: []byte(release +
		"\n\nThe exported declarations of packages that a solution may import, without bodies and hidden fields.\n" +
		"\"go test ./internal/ownership -update\" writes this file.\n\n")}
	for _, path := range slices.Sorted(maps.Keys(written)) {
		archive.Files = append(archive.Files, txtar.File{Name: path, Data: written[path]})
	}
	text := txtar.Format(archive)
	if *update {
		if err := os.WriteFile("api.txtar", text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !strings.HasPrefix(string(api), release+"\n") {
		for path := range declarations() {
			if written[path] == nil {
				t.Errorf("api.txtar has %s, which nothing needs in %s", path, release)
			}
		}
		t.Logf("api.txtar is of another release than %s: only the packages were compared", release)
		return
	}
	if !bytes.Equal(text, api) {
		t.Errorf("api.txtar is not what %s declares: run \"go test ./internal/ownership -update\"", runtime.Version())
	}
	for path := range written {
		if _, err := new(library).Import(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// declare returns the exported declarations of pkg as Go source, and the packages that they name.
func declare(pkg *types.Package) (text []byte, imports []string) {
	named := map[string]bool{}
	qualify := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		named[other.Path()] = true
		return other.Name()
	}
	var body bytes.Buffer
	var queue []types.Object
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			queue = append(queue, pkg.Scope().Lookup(name))
		}
	}
	seen := map[types.Object]bool{}
	// hidden types are declared too where something exported has them.
	var reach func(t types.Type)
	walked := map[types.Type]bool{}
	reach = func(t types.Type) {
		if walked[t] {
			return
		}
		walked[t] = true
		switch t := t.(type) {
		case *types.Named:
			if t.Obj().Pkg() == pkg {
				queue = append(queue, t.Origin().Obj())
			}
			for a := range t.TypeArgs().Types() {
				reach(a)
			}
		case *types.Alias:
			if t.Obj().Pkg() == pkg {
				queue = append(queue, t.Obj())
			}
			reach(t.Rhs())
		case interface{ Elem() types.Type }:
			reach(t.Elem())
			if m, ok := t.(*types.Map); ok {
				reach(m.Key())
			}
		case *types.Signature:
			for v := range t.Params().Variables() {
				reach(v.Type())
			}
			for v := range t.Results().Variables() {
				reach(v.Type())
			}
			for p := range t.TypeParams().TypeParams() {
				reach(p.Constraint())
			}
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					reach(f.Type())
				}
			}
		case *types.Interface:
			for e := range t.EmbeddedTypes() {
				reach(e)
			}
			for m := range t.ExplicitMethods() {
				reach(m.Type())
			}
		case *types.Union:
			for term := range t.Terms() {
				reach(term.Type())
			}
		}
	}
	typeParams := func(list *types.TypeParamList) string {
		var parts []string
		for p := range list.TypeParams() {
			parts = append(parts, p.Obj().Name()+" "+types.TypeString(p.Constraint(), qualify))
		}
		if len(parts) == 0 {
			return ""
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	signature := func(s *types.Signature) string {
		return strings.TrimPrefix(types.TypeString(types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(),
			s.Variadic()), qualify), "func")
	}
	for len(queue) > 0 {
		o := queue[0]
		if queue = queue[1:]; seen[o] {
			continue
		}
		seen[o] = true
		reach(o.Type())
		switch o := o.(type) {
		case *types.Const:
			typ := ""
			if b, ok := o.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
				typ = types.TypeString(o.Type(), qualify)
			}
			value := o.Val().ExactString()
			if o.Val().Kind() == constant.Float || strings.Contains(o.Type().String(), "float") {
				value = strings.ReplaceAll(value, "/", ".0/") + ".0"
			}
			fmt.Fprintf(&body, "const %s %s = %s\n", o.Name(), typ, value)
		case *types.Var:
			fmt.Fprintf(&body, "var %s %s\n", o.Name(), types.TypeString(o.Type(), qualify))
		case *types.Func:
			s := o.Signature()
			fmt.Fprintf(&body, "func %s%s%s {}\n", o.Name(), typeParams(s.TypeParams()), signature(s))
		case *types.TypeName:
			if o.IsAlias() {
				fmt.Fprintf(&body, "type %s = %s\n", o.Name(), types.TypeString(types.Unalias(o.Type()), qualify))
				continue
			}
			t := o.Type().(*types.Named)
			var under string
			if s, ok := t.Underlying().(*types.Struct); !ok {
				under = types.TypeString(t.Underlying(), qualify)
			} else {
				under = "struct {\n"
				hidden := false
				for f := range s.Fields() {
					switch {
					case f.Embedded() && promotes(f):
						reach(f.Type())
						under += types.TypeString(f.Type(), qualify) + "\n"
					case !f.Exported():
						hidden = true
					default:
						under += f.Name() + " " + types.TypeString(f.Type(), qualify) + "\n"
					}
				}
				if hidden {
					zero := "struct{}"
					if !types.Comparable(t) {
						zero = "[0]func()"
					}
					under += hiddenField + o.Name() + " " + zero + "\n"
				}
				under += "}"
			}
			reach(t.Underlying())
			fmt.Fprintf(&body, "type %s%s %s\n", o.Name(), typeParams(t.TypeParams()), under)
			for m := range t.Methods() {
				if !m.Exported() {
					continue
				}
				s := m.Signature()
				reach(s)
				receiver := o.Name()
				if n := s.RecvTypeParams().Len(); n > 0 {
					var parameters []string
					for p := range s.RecvTypeParams().TypeParams() {
						parameters = append(parameters, p.Obj().Name())
					}
					receiver += "[" + strings.Join(parameters, ", ") + "]"
				}
				if _, pointer := s.Recv().Type().(*types.Pointer); pointer {
					receiver = "*" + receiver
				}
				fmt.Fprintf(&body, "func (%s) %s%s {}\n", receiver, m.Name(), signature(s))
			}
		}
	}
	imports = slices.Sorted(maps.Keys(named))
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\n", pkg.Name())
	for _, path := range imports {
		fmt.Fprintf(&out, "import %q\n", path)
	}
	body.WriteTo(&out)
	return out.Bytes(), imports
}

// promotes reports whether an embedded field is to be declared: it is exported, or hidden with exported methods
// ("nativeEndian" embeds "littleEndian").
func promotes(f *types.Var) bool {
	if f.Exported() {
		return true
	}
	t, ok := f.Type().(*types.Named)
	if !ok {
		return false
	}
	for m := range t.Methods() {
		if m.Exported() {
			return true
		}
	}
	return false
}
