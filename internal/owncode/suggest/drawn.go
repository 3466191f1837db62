package suggest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"onthestack/internal/owncode/suggest/fix"
)

// The edited functions are compared with the functions as they were on drawn inputs. A test file has the functions as
// they were under another name, and draws the arguments of both from the same seeds.
//
// Only functions are called whose parameters and results are data and that cannot reach files, the network or other
// processes. Otherwise a drawn argument could be the name of a file, which the function removes.

// drawnFile is the base name of the test file, and drawnTest the name of its test.
const (
	drawnFile = "zz_checkalloc_drawn_test.go"
	drawnTest = "TestZZCheckallocDrawn"
)

// drawnTime bounds how long inputs are drawn for all functions together. The test draws at most 200 for each.
const drawnTime = 300 * time.Millisecond

// A function is a declaration and what it declares.
type function struct {
	decl   *ast.FuncDecl
	object *types.Func
	dots   bool // whether its file imports a package with a dot
}

// functions returns the functions and methods outside of tests by name, "f" or "(*T).m", which is also an expression.
func functions(p *fix.Program) map[string]function {
	all := map[string]function{}
	for _, file := range p.Files {
		if strings.HasSuffix(p.Position(file.FileStart).Filename, "_test.go") {
			continue
		}
		dots := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return i.Name != nil && i.Name.Name == "."
		})
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Name.Name == "init" || decl.Name.Name == "_" {
				continue
			}
			if object, ok := p.Info.Defs[decl.Name].(*types.Func); ok {
				all[receiver(object)+object.Name()] = function{decl, object, dots}
			}
		}
	}
	return all
}

// receiver returns "(*T)." for a method, "" for a function.
func receiver(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		return "(" + types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + ")."
	}
	return ""
}

// comparison returns the test file that compares the functions of a package with what an edit has made of them. It is
// nil if none can be compared.
func comparison(old, new *fix.Program) []byte {
	before, after := functions(old), functions(new)
	copies := map[types.Object]string{} // the names of the functions as they were
	var changed []string                // in order
	for _, name := range slices.Sorted(maps.Keys(before)) {
		f := before[name]
		if g, ok := after[name]; ok && old.Text(f.decl) == new.Text(g.decl) {
			continue
		}
		s := f.object.Signature()
		if f.decl.Body == nil || f.dots || s.TypeParams() != nil || s.RecvTypeParams() != nil {
			return nil
		}
		changed = append(changed, name)
		copies[f.object] = f.decl.Name.Name + "BeforeEdit"
	}
	imports := map[string]string{"drawnfmt": "fmt", "drawnrand": "math/rand", "drawnreflect": "reflect",
		"drawnruntime": "runtime", "drawntesting": "testing", "drawntime": "time"} // paths by name
	var code, cases strings.Builder
	for _, name := range changed {
		text, ok := copyOf(old, before[name], copies, imports)
		if !ok {
			return nil
		}
		code.WriteString(text)
	}
	for _, name := range changed {
		f, g := before[name], after[name]
		if g.decl == nil || signature(old, f) != signature(new, g) || !isDrawn(f.object, old.Types) ||
			!reachesNothing(old, f) || !reachesNothing(new, g) {
			continue
		}
		fmt.Fprintf(&cases, "if drawnDiffers(%q, %s%s, %[1]s, end, &agreed) {\nreturn\n}\n", name, receiver(f.object),
			copies[f.object])
	}
	if cases.Len() == 0 {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n", old.Types.Name())
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "%s %q\n", name, imports[name])
	}
	fmt.Fprintf(&b, ")\n%s\nfunc %s(*drawntesting.T) {\nend, agreed := drawntime.Now().Add(%d), 0\n%s"+
		"drawnReport(agreed, \"\", \"\", \"\")\n}\n%s", &code, drawnTest, drawnTime, &cases, drawnText)
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil
	}
	return text
}

// signature returns the receiver, the parameters and the results as text.
func signature(p *fix.Program, f function) string {
	text := p.Text(f.decl.Type)
	if f.decl.Recv != nil {
		text = p.Text(f.decl.Recv) + text
	}
	return text
}

// copyOf returns a function as it was, under its other name, and adds the packages that it names to imports. If a copy
// calls a function that has changed too, it calls that function's copy. It is not ok if two packages have one name.
func copyOf(p *fix.Program, f function, copies map[types.Object]string, imports map[string]string) (
	text string, ok bool) {
	source := p.Text(f.decl)
	var b strings.Builder
	at, ok := 0, true
	ast.Inspect(f.decl, func(n ast.Node) bool {
		id, isName := n.(*ast.Ident)
		if !isName {
			return true
		}
		object := p.Info.ObjectOf(id)
		if pkg, isPackage := object.(*types.PkgName); isPackage {
			if was, known := imports[pkg.Name()]; known && was != pkg.Imported().Path() {
				ok = false
			}
			imports[pkg.Name()] = pkg.Imported().Path()
		}
		if name, changed := copies[object]; changed {
			start := int(id.Pos() - f.decl.Pos())
			b.WriteString(source[at:start] + name)
			at = start + len(id.Name)
		}
		return true
	})
	return "\n" + b.String() + source[at:] + "\n", ok
}

// isDrawn reports whether the arguments of a function can be drawn, behind pointers too, and its results compared.
func isDrawn(f *types.Func, pkg *types.Package) bool {
	s := f.Signature()
	if s.Recv() == nil && s.Params().Len() == 0 {
		return false
	}
	arguments := slices.Collect(s.Params().Variables())
	if s.Recv() != nil {
		arguments = append(arguments, s.Recv())
	}
	for _, v := range arguments {
		t := v.Type()
		if pointer, ok := t.(*types.Pointer); ok {
			t = pointer.Elem()
		}
		if !isData(t, pkg, map[types.Type]bool{}) {
			return false
		}
	}
	for v := range s.Results().Variables() {
		if !types.Identical(v.Type(), types.Universe.Lookup("error").Type()) &&
			!isData(v.Type(), pkg, map[types.Type]bool{}) {
			return false
		}
	}
	return true
}

// isData reports whether any values of a type can be made, and whether fmt's text of a value with %#v is the same for
// the same value only. Another package may expect something of the fields that it does not export.
func isData(t types.Type, pkg *types.Package, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	for _, method := range []string{"Format", "GoString"} {
		if object, _, _ := types.LookupFieldOrMethod(t, true, nil, method); object != nil {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Kind() != types.Uintptr
	case *types.Array:
		if u.Len() > 1024 {
			return false
		}
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || !f.Exported() && f.Pkg() != pkg {
				return false
			}
		}
	case *types.Slice, *types.Map:
	default:
		return false
	}
	return !slices.ContainsFunc(parts(t), func(part types.Type) bool { return !isData(part, pkg, seen) })
}

// parts returns the types of the values that a value of a type has or points to.
func parts(t types.Type) (all []types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return []types.Type{u.Key(), u.Elem()}
	case *types.Struct:
		for f := range u.Fields() {
			all = append(all, f.Type())
		}
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		return []types.Type{u.Elem()}
	}
	return all
}

// A difference is an input for which two functions do not do the same.
type difference struct{ input, old, new string }

// parseDrawn reads what the test printed: on how many inputs the functions agreed, and an input on which they did not,
// nil for none. A test that was stopped printed nothing, and then no input counts.
func parseDrawn(output []byte) (agreed int, d *difference) {
	_, rest, ok := bytes.Cut(output, []byte("checkalloc-drawn:"))
	if !ok {
		return 0, nil
	}
	d = &difference{}
	if n, err := fmt.Sscanf(string(rest), "%d %q %q %q", &agreed, &d.input, &d.old, &d.new); n != 4 || err != nil {
		return 0, nil
	}
	if d.input == "" {
		return agreed, nil
	}
	return agreed, d
}

// drawnText is the rest of the test file. It has no syntax that releases of Go before 1.18 lack, because the package
// may be for these. Each input runs twice on the old function. If the results differ, they depend on more than the
// arguments, and the input is skipped. Panics are compared by their text, except that all errors of the runtime are
// equal, because a bound in their text may differ. Numbers are mostly small, because a function may loop as often as a
// number says.
const drawnText = `
func drawnDiffers(name string, old, new interface{}, end drawntime.Time, agreed *int) bool {
	before, f, g := *agreed, drawnreflect.ValueOf(old), drawnreflect.ValueOf(new)
	for i := int64(0); i < 200 && drawntime.Now().Before(end); i++ {
		input, was := drawnCall(f, i)
		_, is := drawnCall(g, i)
		for n := 0; n < 1 || was != is && n < 5; n++ {
			_, again := drawnCall(f, i)
			if _, now := drawnCall(g, i); again != was || now != is {
				*agreed = before
				return false
			}
		}
		if was != is {
			drawnReport(*agreed, drawnCut(name+"("+input+")"), drawnCut(was), drawnCut(is))
			return true
		}
		*agreed++
	}
	return false
}

func drawnReport(agreed int, input, old, new string) {
	drawnfmt.Printf("checkalloc-drawn: %d %q %q %q\n", agreed, input, old, new)
}

func drawnCall(f drawnreflect.Value, seed int64) (input, output string) {
	r := drawnrand.New(drawnrand.NewSource(seed))
	args := make([]drawnreflect.Value, f.Type().NumIn())
	for i := range args {
		t := f.Type().In(i)
		if t.Kind() == drawnreflect.Ptr {
			args[i] = drawnreflect.New(t.Elem())
			drawnFill(r, args[i].Elem(), 0)
			continue
		}
		args[i] = drawnreflect.New(t).Elem()
		drawnFill(r, args[i], 0)
	}
	input = drawnJoin(args)
	output = drawnOutcome(f, args)
	if len(args) > 0 {
		output += ", and then the arguments are (" + drawnJoin(args) + ")"
	}
	return input, output
}

func drawnOutcome(f drawnreflect.Value, args []drawnreflect.Value) (text string) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case drawnruntime.Error:
			text = "a run-time panic"
		default:
			text = drawnfmt.Sprintf("the panic %v", why)
		}
	}()
	if f.Type().IsVariadic() {
		return drawnJoin(f.CallSlice(args))
	}
	return drawnJoin(f.Call(args))
}

func drawnJoin(values []drawnreflect.Value) (text string) {
	for i, v := range values {
		if i > 0 {
			text += ", "
		}
		if v.Kind() == drawnreflect.Ptr {
			v = v.Elem()
		}
		if err, ok := v.Interface().(error); ok && v.Kind() == drawnreflect.Interface {
			text += drawnfmt.Sprintf("%T(%q)", err, err.Error())
		} else if v.Kind() == drawnreflect.Interface {
			text += "nil"
		} else {
			text += drawnfmt.Sprintf("%#v", v.Interface())
		}
	}
	return text
}

func drawnCut(text string) string {
	if len(text) > 200 {
		return text[:200] + "…"
	}
	return text
}

func drawnMost(r *drawnrand.Rand) int { return []int{2, 10, 60, 300}[r.Intn(4)] }

func drawnFill(r *drawnrand.Rand, v drawnreflect.Value, depth int) {
	switch v.Kind() {
	case drawnreflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case drawnreflect.Int, drawnreflect.Int8, drawnreflect.Int16, drawnreflect.Int32, drawnreflect.Int64:
		v.SetInt(int64(r.Intn(drawnMost(r)) - r.Intn(10)))
	case drawnreflect.Uint, drawnreflect.Uint8, drawnreflect.Uint16, drawnreflect.Uint32, drawnreflect.Uint64:
		v.SetUint(uint64(r.Intn(drawnMost(r))))
	case drawnreflect.Float32, drawnreflect.Float64:
		v.SetFloat(drawnFloat(r))
	case drawnreflect.Complex64, drawnreflect.Complex128:
		v.SetComplex(complex(drawnFloat(r), drawnFloat(r)))
	case drawnreflect.String:
		v.SetString(drawnString(r))
	case drawnreflect.Slice:
		if n := r.Intn(10) - 1; n >= 0 && depth <= 3 {
			v.Set(drawnreflect.MakeSlice(v.Type(), n, n+r.Intn(3)))
			for i := 0; i < n; i++ {
				drawnFill(r, v.Index(i), depth+1)
			}
		}
	case drawnreflect.Array:
		for i := 0; i < v.Len(); i++ {
			drawnFill(r, v.Index(i), depth+1)
		}
	case drawnreflect.Map:
		if n := r.Intn(8) - 1; n >= 0 && depth <= 3 {
			v.Set(drawnreflect.MakeMap(v.Type()))
			for i := 0; i < n; i++ {
				key, value := drawnreflect.New(v.Type().Key()).Elem(), drawnreflect.New(v.Type().Elem()).Elem()
				drawnFill(r, key, depth+1)
				drawnFill(r, value, depth+1)
				v.SetMapIndex(key, value)
			}
		}
	case drawnreflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			// Package reflect sets no unexported field, except by its address.
			field := v.Field(i)
			drawnFill(r, drawnreflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem(), depth+1)
		}
	}
}

func drawnFloat(r *drawnrand.Rand) float64 {
	switch r.Intn(4) {
	case 0:
		return float64(r.Intn(10) - 5)
	case 1:
		return r.NormFloat64() * 1e6
	}
	return r.Float64()
}

func drawnString(r *drawnrand.Rand) string {
	parts := []string{"a", "b", "Z", "0", "7", " ", ",", "=", "\n", "\x00", "é", "世", "\xff", "%", "abc", "12", "key",
		"long enough for the heap"}
	text := ""
	for n := r.Intn(drawnMost(r)) % 12; n > 0; n-- {
		text += parts[r.Intn(len(parts))]
	}
	return text
}
`
