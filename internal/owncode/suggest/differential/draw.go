package differential

import (
	"fmt"
	"go/types"
	"strings"
)

// draw returns the name of a function of the test file that draws a value of a type: func(r *rand.Rand, depth int) T.
// It is not ok for types that are not data, and for types with fields that another package does not export.
func (w *writer) draw(t types.Type) (name string, ok bool) {
	written, ok := w.typeText(t)
	if !ok {
		return "", false
	}
	key := types.TypeString(t, nil)
	if known, seen := w.draws[key]; seen {
		_, rest, _ := strings.Cut(known, "func ")
		name, _, _ = strings.Cut(rest, "(")
		return name, true
	}
	name = fmt.Sprintf("drawnValue%d", w.named)
	w.named++
	head := fmt.Sprintf("\nfunc %s(r *drawnrand.Rand, depth int) (v %s) {\n", name, written)
	w.draws[key] = head // for a type that has itself as a part
	body, ok := w.drawBody(t)
	if !ok {
		delete(w.draws, key)
		return "", false
	}
	w.draws[key] = head + body + "\treturn v\n}\n"
	return name, true
}

func (w *writer) drawBody(t types.Type) (body string, ok bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return w.drawBasic(u, t)
	case *types.Slice:
		element, ok := w.draw(u.Elem())
		written, _ := w.typeText(t)
		return fmt.Sprintf("\tn := r.Intn(10) - 1\n\tif n < 0 || depth > 3 {\n\t\treturn nil\n\t}\n"+
				"\tv = make(%s, n, n+r.Intn(3))\n\tfor i := range v {\n\t\tv[i] = %s(r, depth+1)\n\t}\n",
				written, element),
			ok
	case *types.Array:
		element, ok := w.draw(u.Elem())
		return fmt.Sprintf("\tfor i := range v {\n\t\tv[i] = %s(r, depth+1)\n\t}\n", element), ok && u.Len() <= 1024
	case *types.Map:
		key, ok := w.draw(u.Key())
		element, fine := w.draw(u.Elem())
		written, _ := w.typeText(t)
		return fmt.Sprintf("\tn := r.Intn(8) - 1\n\tif n < 0 || depth > 3 {\n\t\treturn nil\n\t}\n\tv = make(%s)\n"+
				"\tfor i := 0; i < n; i++ {\n\t\tv[%s(r, depth+1)] = %s(r, depth+1)\n\t}\n",
				written, key, element),
			ok && fine
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || !f.Exported() && f.Pkg() != w.old.Types {
				return "", false
			}
			field, ok := w.draw(f.Type())
			if !ok {
				return "", false
			}
			body += fmt.Sprintf("\tv.%s = %s(r, depth+1)\n", f.Name(), field)
		}
		return body, true
	}
	return "", false
}

// drawBasic draws mostly small numbers, because a function may loop as often as a number says.
func (w *writer) drawBasic(b *types.Basic, t types.Type) (body string, ok bool) {
	written, _ := w.typeText(t)
	switch info := b.Info(); {
	case b.Kind() == types.Uintptr || b.Kind() == types.UnsafePointer:
		return "", false
	case info&types.IsBoolean != 0:
		return "\tv = r.Intn(2) == 0\n", true
	case info&types.IsUnsigned != 0:
		return fmt.Sprintf("\tv = %s(r.Intn(drawnMost(r)))\n", written), true
	case info&types.IsInteger != 0:
		return fmt.Sprintf("\tv = %s(r.Intn(drawnMost(r)) - r.Intn(10))\n", written), true
	case info&types.IsFloat != 0:
		return fmt.Sprintf("\tv = %s(drawnFloat(r))\n", written), true
	case info&types.IsComplex != 0:
		return fmt.Sprintf("\tv = %s(complex(drawnFloat(r), drawnFloat(r)))\n", written), true
	case info&types.IsString != 0:
		return fmt.Sprintf("\tv = %s(drawnString(r))\n", written), true
	}
	return "", false
}

// typeText returns how a type is written in the test file, and imports what that needs.
func (w *writer) typeText(t types.Type) (text string, ok bool) {
	ok = true
	var walk func(types.Type)
	walk = func(t types.Type) {
		switch t := t.(type) {
		case *types.Named:
			ok = ok && w.nameable(t.Obj()) && t.TypeArgs().Len() == 0
		case *types.Alias:
			ok = ok && w.nameable(t.Obj()) && t.TypeArgs().Len() == 0
		case *types.Slice:
			walk(t.Elem())
		case *types.Array:
			walk(t.Elem())
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case *types.Basic:
		default:
			ok = false
		}
	}
	if walk(t); !ok {
		return "", false
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.old.Types {
			return ""
		}
		as := "drawn" + strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(p.Path())
		w.imports[as] = p.Path()
		return as
	}), true
}

// nameable reports whether another file of the package can name a type.
func (w *writer) nameable(t *types.TypeName) bool {
	return t.Pkg() == nil || t.Parent() == t.Pkg().Scope() && (t.Pkg() == w.old.Types || t.Exported())
}

// printable reports whether the text that fmt makes of a value with %#v is the same for the same value only.
func printable(t types.Type, seen map[types.Type]bool) bool {
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
	case *types.Slice:
		return printable(u.Elem(), seen)
	case *types.Array:
		return printable(u.Elem(), seen)
	case *types.Map:
		return printable(u.Key(), seen) && printable(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if !printable(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}
