package suggest

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
)

// The edited functions are compared with the functions as they were on drawn inputs. A test that is added to the
// package calls them with arguments that it draws from fixed seeds, and prints what comes of each call. An edit is
// built with the test of the functions that it changes; the old functions that any edit changes have one build.
//
// Only functions are called whose parameters and results are data and that cannot reach files, the network or other
// processes. Otherwise a drawn argument could be the name of a file, which the function removes.

// drawnFile is the base name of the test file, and drawnTest the name of its test.
const (
	drawnFile = "zz_checkalloc_drawn_test.go"
	drawnTest = "TestZZCheckallocDrawn"
)

// compare runs an attempt's functions, and returns a refusal if they differ from the old ones on an input.
func (r *run) compare(ctx context.Context, a *attempt) error {
	old, err := r.drawn()
	if err != nil {
		return err
	}
	new, err := r.draw(ctx, a.subject)
	if err != nil {
		return err
	}
	a.Tests.Inputs, err = agree(old, new)
	return err
}

func (r *run) draw(ctx context.Context, s *userpkg.Package) (printed []byte, err error) {
	return s.TestAlone(ctx, drawnTest, r.options.Measure.Args)
}

// drawOld builds the test of the old functions that edits change, and returns what it prints.
func (r *run) drawOld(ctx context.Context, edits []fix.Edit) (printed []byte, err error) {
	p := r.program
	edited := functions(p)
	maps.DeleteFunc(edited, func(_ string, f *ast.FuncDecl) bool {
		from, to := p.Position(f.Pos()), p.Position(f.End())
		return !slices.ContainsFunc(edits, func(e fix.Edit) bool {
			return e.File == from.Filename && from.Offset <= e.Start && e.Start < to.Offset
		}) || !canDraw(p, f)
	})
	s := r.subject.With(map[string][]byte{drawnFile: drawnCode(p, slices.Sorted(maps.Keys(edited)))})
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Build(ctx); err != nil {
		return nil, err
	}
	return r.draw(ctx, s)
}

// functions returns the functions and methods outside of tests by name, "f" or "(*T).m", which is also an expression.
func functions(p *fix.Program) map[string]*ast.FuncDecl {
	all := map[string]*ast.FuncDecl{}
	for _, file := range p.Files {
		if strings.HasSuffix(p.Position(file.FileStart).Filename, "_test.go") {
			continue
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Name.Name == "init" || decl.Name.Name == "_" {
				continue
			}
			name := decl.Name.Name
			if recv := p.Info.Defs[decl.Name].(*types.Func).Signature().Recv(); recv != nil {
				name = fmt.Sprintf("(%s).%s", types.TypeString(recv.Type(), types.RelativeTo(p.Types)), name)
			}
			all[name] = decl
		}
	}
	return all
}

// comparison returns the test file that calls the functions that an edit changes. It is nil if none can be compared.
func comparison(old, new *fix.Program) []byte {
	before, after := functions(old), functions(new)
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		f, g := before[name], after[name]
		if g != nil && old.Text(f) != new.Text(g) && old.Text(f.Type) == new.Text(g.Type) &&
			canDraw(old, f) && canDraw(new, g) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	test := drawnCode(new, changed)
	if _, err := new.With(map[string][]byte{drawnFile: test}); err != nil {
		return nil // a name of the test means something else in this package
	}
	return test
}

// drawnCode returns the test file that calls functions of a package.
func drawnCode(p *fix.Program, functions []string) []byte {
	var calls strings.Builder
	for _, name := range functions {
		fmt.Fprintf(&calls, "\tdrawnCalls(%q, %s)\n", name, name)
	}
	return fmt.Appendf(nil, "package %s\n%sfunc %s(*drawntesting.T) {\n%s}\n", p.Types.Name(), drawnText, drawnTest,
		&calls)
}

// canDraw reports whether a function may be called with drawn arguments.
func canDraw(p *fix.Program, decl *ast.FuncDecl) bool {
	f := p.Info.Defs[decl.Name].(*types.Func)
	s := f.Signature()
	return s.TypeParams() == nil && s.RecvTypeParams() == nil && isDrawn(f, p.Types) && reachesNothing(p, f)
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

// A drawnCall is a call that the test printed, "f(1)", with its outcome and the outcome of the same call again.
type drawnCall struct{ function, call, outcome, again string }

// agree compares what the test printed with the old and the new files. It returns on how many inputs the functions
// agree, or a refusal if they differ on one. A function whose outcomes differ for the same input depends on more than
// its arguments, and is left out.
func agree(old, new []byte) (agreed int, err error) {
	before, after := parseDrawn(old), parseDrawn(new)
	unsteady, now := map[string]bool{}, map[string]string{}
	for _, c := range slices.Concat(before, after) {
		unsteady[c.function] = unsteady[c.function] || c.outcome != c.again
	}
	for _, c := range after {
		now[c.call] = c.outcome
	}
	for _, c := range before {
		is, called := now[c.call] // a test that was stopped did not call all
		switch {
		case !called || unsteady[c.function]:
		case is != c.outcome:
			return 0, refuse(StageInputs, "%s differs: before %s, now %s", c.call, c.outcome, is)
		default:
			agreed++
		}
	}
	return agreed, nil
}

func parseDrawn(output []byte) (calls []drawnCall) {
	for line := range strings.Lines(string(output)) {
		var c drawnCall
		n, _ := fmt.Sscanf(line, "checkalloc-drawn: %q %q %q %q", &c.function, &c.call, &c.outcome, &c.again)
		if n == 4 {
			calls = append(calls, c)
		}
	}
	return calls
}

// drawnText is the test file between its package clause and its test. It has no syntax that releases of Go before 1.18
// lack, because the package may be for these. Panics are compared by their text, except that all errors of the runtime
// are equal, because a bound in their text may differ. Numbers are mostly small, because a function may loop as often
// as a number says, and inputs are drawn for a bounded time.
const drawnText = `
import (
	drawnfmt "fmt"
	drawnhash "hash/fnv"
	drawnrand "math/rand"
	drawnreflect "reflect"
	drawnruntime "runtime"
	drawntesting "testing"
	drawntime "time"
)

func drawnCalls(name string, function interface{}) {
	f, end := drawnreflect.ValueOf(function), drawntime.Now().Add(300*drawntime.Millisecond)
	for i := int64(0); i < 200 && drawntime.Now().Before(end); i++ {
		input, outcome := drawnCall(f, i)
		_, again := drawnCall(f, i)
		drawnfmt.Printf("checkalloc-drawn: %q %q %q %q\n", name, drawnCut(name+"("+input+")"), drawnCut(outcome),
			drawnCut(again))
	}
}

func drawnCall(f drawnreflect.Value, seed int64) (input, outcome string) {
	r := drawnrand.New(drawnrand.NewSource(seed))
	args := make([]drawnreflect.Value, f.Type().NumIn())
	for i := range args {
		args[i] = drawnreflect.New(f.Type().In(i)).Elem()
		drawnFill(r, args[i], 0)
	}
	input, outcome = drawnJoin(args), drawnOutcome(f, args)
	if len(args) > 0 {
		outcome += ", and then the arguments are (" + drawnJoin(args) + ")"
	}
	return input, outcome
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

// drawnCut keeps the beginning of a text, and a hash of all of it.
func drawnCut(text string) string {
	if len(text) <= 200 {
		return text
	}
	hash := drawnhash.New64a()
	hash.Write([]byte(text))
	return drawnfmt.Sprintf("%s… (%x)", text[:200], hash.Sum64())
}

func drawnMost(r *drawnrand.Rand) int { return []int{2, 10, 60, 300}[r.Intn(4)] }

func drawnFill(r *drawnrand.Rand, v drawnreflect.Value, depth int) {
	switch v.Kind() {
	case drawnreflect.Ptr:
		v.Set(drawnreflect.New(v.Type().Elem()))
		drawnFill(r, v.Elem(), depth)
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
