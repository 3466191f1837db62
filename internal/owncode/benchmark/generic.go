package benchmark

import "go/types"

// maxTries bounds how many combinations of type arguments are tried.
const maxTries = 20_000

// instantiate returns the signature of a function, and sets its type arguments if it, or its receiver, is generic.
func (p *program) instantiate(f *function) (*types.Signature, error) {
	signature := f.object.Signature()
	parameters := signature.TypeParams()
	var generic types.Type = signature
	if f.method() {
		named, _ := types.Unalias(withoutPointer(signature.Recv().Type())).(*types.Named)
		if named == nil || named.Origin().TypeParams().Len() == 0 {
			return signature, nil
		}
		parameters, generic = named.Origin().TypeParams(), named.Origin()
	}
	if parameters.Len() == 0 {
		return signature, nil
	}
	candidates := p.candidates()
	chosen := make([]int, parameters.Len())
	for range maxTries {
		arguments := make([]types.Type, len(chosen))
		for i, c := range chosen {
			arguments[i] = candidates[c]
		}
		if made, err := types.Instantiate(nil, generic, arguments, true); err == nil {
			f.arguments = arguments
			if !f.method() {
				return made.(*types.Signature), nil
			}
			if _, ok := signature.Recv().Type().(*types.Pointer); ok {
				made = types.NewPointer(made)
			}
			if m, _, _ := types.LookupFieldOrMethod(made, true, p.types, f.object.Name()); m != nil {
				return m.Type().(*types.Signature), nil
			}
		}
		if !next(chosen, len(candidates)) {
			break
		}
	}
	return nil, argumentErrorf("no type arguments are known for %s: write its benchmark by hand", f.name)
}

// next counts up a number whose digits are chosen, the last one first. It returns false after the largest.
func next(chosen []int, base int) bool {
	for i := len(chosen) - 1; i >= 0; i-- {
		if chosen[i]++; chosen[i] < base {
			return true
		}
		chosen[i] = 0
	}
	return false
}

// candidates returns types for type parameters: some predeclared types, and the types of the package.
func (p *program) candidates() []types.Type {
	number, text := types.Typ[types.Int], types.Typ[types.String]
	all := []types.Type{number, text, types.NewSlice(number), types.NewSlice(text), types.NewSlice(types.Typ[types.Byte]),
		types.NewMap(number, number), types.NewMap(text, number), types.Typ[types.Float64], types.Typ[types.Byte],
	}
	for _, name := range p.types.Scope().Names() {
		object, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if named, ok := object.Type().(*types.Named); ok && named.TypeParams().Len() == 0 && !types.IsInterface(named) {
			all = append(all, named, types.NewPointer(named))
		}
	}
	return all
}

func withoutPointer(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
