package recorder

import (
	"reflect"
	"runtime"
	"strconv"
	"unsafe"

	"onthestack/internal/harness/wire"
)

// value appends a value. Fields that are not exported are read too, so the value is never asked for its interface.
//
// This function and the functions that it calls are small, and are not inlined. A browser compiles a function a second
// time, with optimizations, once the function has executed many bytes of code; if the function is large, that takes as
// long as a recording. In a function that Go compiled to WebAssembly, a jump leads back to the beginning, so it counts
// as the bytes from there.
func (s *snapshot) value(v reflect.Value, depth int) {
	if depth > wire.MaxDepth {
		s.byte(wire.KindOmitted)
		return
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.scalar(strconv.FormatInt(v.Int(), 10))
	case reflect.Bool, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		s.scalar(formatScalar(v))
	case reflect.String:
		s.string(v.String())
	case reflect.Pointer:
		s.pointer(v)
	case reflect.Slice:
		s.slice(v)
	case reflect.Map:
		s.byte(wire.KindMap)
		s.referent(v)
	case reflect.Chan:
		s.byte(wire.KindChan)
		s.referent(v)
		s.int(v.Cap())
	case reflect.Func:
		s.function(v)
	case reflect.Interface:
		s.dynamic(v, depth)
	case reflect.Struct:
		s.fields(v, depth)
	case reflect.Array:
		s.elements(v, depth)
	default:
		s.byte(wire.KindOmitted)
	}
}

//go:noinline
func (s *snapshot) scalar(text string) {
	s.byte(wire.KindText)
	s.text(cut(text, wire.MaxText))
}

//go:noinline
func formatScalar(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

//go:noinline
func (s *snapshot) string(text string) {
	at := unsafe.Pointer(unsafe.StringData(text))
	s.byte(wire.KindString)
	s.address(at)
	s.int(len(text))
	s.onHeap(at)
	s.text(cut(text, wire.MaxText))
	if len(text) > 0 {
		keep(at)
	}
}

// onHeap appends 1 if there is an object of the heap at p, and 0 otherwise.
//
//go:noinline
func (s *snapshot) onHeap(p unsafe.Pointer) {
	if base, _, _ := findObject(uintptr(p), 0, 0); base != 0 {
		s.byte(1)
	} else {
		s.byte(0)
	}
}

//go:noinline
func (s *snapshot) pointer(v reflect.Value) {
	s.byte(wire.KindPointer)
	s.target(v.UnsafePointer(), v.Type().Elem(), one)
}

//go:noinline
func (s *snapshot) slice(v reflect.Value) {
	s.byte(wire.KindSlice)
	s.target(v.UnsafePointer(), v.Type().Elem(), v.Cap())
	s.int(v.Len())
	s.int(v.Cap())
}

// referent appends what a map or a channel refers to, and its length.
//
//go:noinline
func (s *snapshot) referent(v reflect.Value) {
	s.target(v.UnsafePointer(), v.Type(), referred)
	s.int(v.Len())
}

//go:noinline
func (s *snapshot) fields(v reflect.Value, depth int) {
	names := lookup(v.Type()).fields
	s.byte(wire.KindStruct)
	s.int(len(names))
	for i, name := range names {
		s.text(name)
		s.value(v.Field(i), depth+1)
	}
}

//go:noinline
func (s *snapshot) elements(v reflect.Value, depth int) {
	n := min(v.Len(), wire.MaxElements)
	s.byte(wire.KindArray)
	s.int(v.Len())
	s.int(n)
	for i := range n {
		s.value(v.Index(i), depth+1)
	}
}

// function appends a function value: a pointer to a closure, whose first word is the address of the code.
//
//go:noinline
func (s *snapshot) function(v reflect.Value) {
	s.byte(wire.KindFunc)
	if v.IsNil() {
		s.address(nil)
		s.text("")
		return
	}
	var word unsafe.Pointer
	if v.CanAddr() {
		word = *(*unsafe.Pointer)(v.Addr().UnsafePointer())
	}
	s.target(word, v.Type(), referred)
	name := ""
	if code := runtime.FuncForPC(v.Pointer()); code != nil {
		name = code.Name()
	}
	s.text(cut(name, wire.MaxText))
}

// dynamic appends an interface: its type word, and its data word, which is a pointer to a box unless the value itself
// is a single pointer.
//
//go:noinline
func (s *snapshot) dynamic(v reflect.Value, depth int) {
	s.byte(wire.KindInterface)
	if v.IsNil() {
		s.int(0)
		return
	}
	e := v.Elem()
	s.typeNumber(lookup(e.Type()))
	if v.CanAddr() && !direct(e.Type()) {
		s.byte(1)
		word := (*[2]unsafe.Pointer)(v.Addr().UnsafePointer())[1]
		s.target(word, e.Type(), one)
		return
	}
	s.byte(0)
	s.value(e, depth+1)
}

// direct reports whether an interface holds a value of type t in its data word.
func direct(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return t.NumField() == 1 && direct(t.Field(0).Type)
	case reflect.Array:
		return t.Len() == 1 && direct(t.Elem())
	}
	return false
}
