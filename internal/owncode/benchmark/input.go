package benchmark

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// sampleText is the text of made strings. A string of up to 32 bytes may stay on the stack where a longer one does not.
const sampleText = `"some text, longer than a small string"`

// Limits on a made value: how deep its parts may be nested, how many fields a struct has, and how many parts there are.
const (
	maxDepth  = 4
	maxFields = 16
	maxParts  = 200 // of one input
)

// input declares a variable of a type, and returns its name. A value that cannot be made is for the reader to fill in.
func (w *writer) input(name string, t types.Type) string {
	name, w.parts = w.variable(name, t), 0
	if r, ok := w.recipe(t); ok {
		w.declare(name, r)
		return name
	}
	if value, ok := w.construct(t); ok {
		w.constructed(name, value)
		return name
	}
	if value, ok := w.value(t, 0, false); ok {
		w.setup = append(w.setup, fmt.Sprintf("%s := %s", name, value))
		if types.IsInterface(t) { // or each call would put the value into an interface
			w.setup[len(w.setup)-1] = fmt.Sprintf("var %s %s = %s", name, w.typ(t), value)
		}
		return name
	}
	missing := fmt.Sprintf("%s (%s)", name, types.TypeString(t, w.short))
	w.missing = append(w.missing, missing)
	switch u := t.Underlying().(type) {
	case *types.Chan:
		w.setup = append(w.setup, fmt.Sprintf("%s := make(%s, 1)", name, w.typ(t)))
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Struct); ok && types.Identical(t, u) {
			w.setup = append(w.setup, fmt.Sprintf("%s := &%s{}", name, w.typ(u.Elem())))
			break
		}
		w.setup = append(w.setup, fmt.Sprintf("var %s %s", name, w.typ(t)))
	default:
		w.setup = append(w.setup, fmt.Sprintf("var %s %s", name, w.typ(t)))
	}
	return name
}

// declare adds the statements that make a variable.
func (w *writer) declare(name string, r recipe) {
	source := w.unused(name + "Source")
	fill := func(statement string) string {
		return w.fill(strings.NewReplacer("NAMESource", source, "NAME", name).Replace(statement))
	}
	for _, statement := range r.before {
		w.setup = append(w.setup, fill(statement))
	}
	w.setup = append(w.setup, fmt.Sprintf("%s := %s", name, fill(r.value)))
	for _, statement := range r.each {
		w.each = append(w.each, fill(statement))
	}
}

// recipe returns the recipe for a type of the standard library, or for an interface that one of its types implements.
func (w *writer) recipe(t types.Type) (recipe, bool) {
	name := types.TypeString(types.Unalias(t), nil)
	if r, ok := known[name]; ok && w.available(r) {
		return r, true
	}
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 || !i.IsMethodSet() {
		return recipe{}, false
	}
	for _, candidate := range implementations {
		pkg, err := w.program.importer.Import(candidate.pkg)
		if err != nil {
			continue
		}
		object := pkg.Scope().Lookup(candidate.name)
		if object == nil {
			continue
		}
		made := object.Type()
		if candidate.pointer {
			made = types.NewPointer(made)
		}
		if types.Implements(made, i) {
			return candidate.recipe, true
		}
	}
	return recipe{}, false
}

// available reports whether the packages that a recipe needs are compiled.
func (w *writer) available(r recipe) bool {
	return w.program.web || !strings.Contains(r.value, "httptest")
}

// A construction is a call of a function that makes a value and has no parameters.
type construction struct {
	call  string
	fails bool // it also returns an error
}

// construct returns the call of a function New… of the package that makes a value of a type, which is the package's.
func (w *writer) construct(t types.Type) (c construction, ok bool) {
	named, _ := types.Unalias(withoutPointer(t)).(*types.Named)
	if named == nil || named.Obj().Pkg() != w.program.types {
		return c, false
	}
	scope := w.program.types.Scope()
	for _, name := range scope.Names() {
		f, isFunc := scope.Lookup(name).(*types.Func)
		if !isFunc || !strings.HasPrefix(strings.ToLower(name), "new") || w.declaredInTest(f) {
			continue
		}
		s := f.Signature()
		results := s.Results()
		if s.TypeParams().Len() > 0 || s.Params().Len() > 0 && !(s.Variadic() && s.Params().Len() == 1) ||
			results.Len() == 0 || results.Len() > 2 || !types.Identical(results.At(0).Type(), t) {
			continue
		}
		if results.Len() == 2 && !isError(results.At(1).Type()) {
			continue
		}
		return construction{name + "()", results.Len() == 2}, true
	}
	return c, false
}

// constructed declares a variable that a call makes.
func (w *writer) constructed(name string, c construction) {
	if !c.fails {
		w.setup = append(w.setup, fmt.Sprintf("%s := %s", name, c.call))
		return
	}
	failure := w.unused("err")
	w.setup = append(w.setup, fmt.Sprintf("%s, %s := %s\nif %s != nil {\nb.Fatal(%s)\n}", name, failure, c.call,
		failure, failure))
}

// value returns an expression that makes a value of a type, if that needs no knowledge of the program. A bare one is
// for a place that determines the type of a constant.
func (w *writer) value(t types.Type, depth int, bare bool) (text string, ok bool) {
	if w.parts++; w.parts > maxParts || depth > maxDepth || !w.nameable(t) {
		return "", false
	}
	if r, ok := w.recipe(t); ok {
		if strings.Contains(r.value, "NAME") {
			return "", false
		}
		return w.fill(strings.ReplaceAll(r.value, "TEXT", sampleText)), true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return w.constant(t, u, bare)
	case *types.Slice:
		if isText(u.Elem()) {
			return fmt.Sprintf("%s(%s)", w.typ(t), sampleText), true
		}
		element, ok := w.value(u.Elem(), depth+1, true)
		return fmt.Sprintf("%s{%s}", w.typ(t), strings.Join(slices.Repeat([]string{element}, 4), ", ")), ok
	case *types.Array:
		_, ok := w.value(u.Elem(), depth+1, true)
		return w.typ(t) + "{}", ok
	case *types.Map:
		key, ok := w.value(u.Key(), depth+1, true)
		element, also := w.value(u.Elem(), depth+1, true)
		return fmt.Sprintf("%s{%s: %s}", w.typ(t), key, element), ok && also
	case *types.Struct:
		return w.structure(t, u, depth)
	case *types.Pointer:
		element, ok := w.value(u.Elem(), depth+1, false)
		if ok && strings.HasSuffix(element, "}") && !strings.HasPrefix(element, "func(") {
			return "&" + element, types.Identical(t, u)
		}
		return fmt.Sprintf("new(%s)", w.typ(u.Elem())), ok && types.Identical(t, u)
	case *types.Interface:
		return sampleText, u.Empty()
	case *types.Signature:
		return w.literal(u)
	}
	return "", false
}

// constant returns a constant of a basic type.
func (w *writer) constant(t types.Type, basic *types.Basic, bare bool) (text string, ok bool) {
	var usual types.BasicKind // the type of a variable that is set to the constant
	switch info := basic.Info(); {
	case basic.Kind() == types.Uintptr, basic.Kind() == types.Invalid, basic.Kind() == types.UnsafePointer:
		return "", false
	case info&types.IsString != 0:
		text, usual = sampleText, types.String
	case info&types.IsBoolean != 0:
		text, usual = "true", types.Bool
	case info&types.IsInteger != 0:
		text, usual = "3", types.Int
	case info&types.IsFloat != 0:
		text, usual = "1.5", types.Float64
	case info&types.IsComplex != 0:
		text, usual = "1i", types.Complex128
	default:
		return "", false
	}
	if bare || types.Identical(t, types.Typ[usual]) {
		return text, true
	}
	return fmt.Sprintf("%s(%s)", w.typ(t), text), true
}

// structure returns a literal of a struct that is plain data: all its fields are exported and can be made. A struct
// with other fields may need more than a value in each.
func (w *writer) structure(t types.Type, u *types.Struct, depth int) (text string, ok bool) {
	if u.NumFields() > maxFields {
		return "", false
	}
	var fields []string
	for f := range u.Fields() {
		if !f.Exported() {
			return "", false
		}
		if pointer, ok := f.Type().(*types.Pointer); ok && types.Identical(pointer.Elem(), t) {
			continue // the end of a list
		}
		value, ok := w.value(f.Type(), depth+1, true)
		if !ok {
			return "", false
		}
		fields = append(fields, f.Name()+": "+value)
	}
	return fmt.Sprintf("%s{%s}", w.typ(t), strings.Join(fields, ", ")), true
}

// literal returns a function that returns zero values. That is no help where its caller may need what a
// result points to.
func (w *writer) literal(s *types.Signature) (text string, ok bool) {
	var parameters, results []string
	for i, p := range slices.Collect(s.Params().Variables()) {
		if !w.nameable(p.Type()) {
			return "", false
		}
		if slice, ok := p.Type().(*types.Slice); ok && s.Variadic() && i == s.Params().Len()-1 {
			parameters = append(parameters, "..."+w.typ(slice.Elem()))
		} else {
			parameters = append(parameters, w.typ(p.Type()))
		}
	}
	for r := range s.Results().Variables() {
		switch r.Type().Underlying().(type) {
		case *types.Pointer, *types.Chan, *types.Signature, *types.Map, *types.Interface:
			if !isError(r.Type()) {
				return "", false
			}
		}
		if !w.nameable(r.Type()) {
			return "", false
		}
		results = append(results, "_ "+w.typ(r.Type()))
	}
	text = "func(" + strings.Join(parameters, ", ") + ")"
	if len(results) == 0 {
		return text + " {}", true
	}
	return text + " (" + strings.Join(results, ", ") + ") { return }", true
}

// isText reports whether a slice with elements of a type can be converted from a string.
func isText(t types.Type) bool {
	basic, ok := types.Unalias(t).(*types.Basic)
	return ok && (basic.Kind() == types.Byte || basic.Kind() == types.Rune)
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
