package recorder

import (
	"reflect"
	"runtime"
	"strconv"
	"unsafe"

	"onthestack/internal/harness/recording"
)

// value appends a value. Fields that are not exported are read too, so the value is never asked for its interface.
func (s *snapshot) value(v reflect.Value, depth int) {
	if depth > recording.MaxDepth {
		s.byte(recording.Omitted)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		s.scalar(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.scalar(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.scalar(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32:
		s.scalar(strconv.FormatFloat(v.Float(), 'g', -1, 32))
	case reflect.Float64:
		s.scalar(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Complex64, reflect.Complex128:
		s.scalar(strconv.FormatComplex(v.Complex(), 'g', -1, 128))
	case reflect.String:
		text := v.String()
		s.byte(recording.String)
		s.address(unsafe.Pointer(unsafe.StringData(text)))
		s.int(len(text))
		if base, _, _ := findObject(uintptr(unsafe.Pointer(unsafe.StringData(text))), 0, 0); base != 0 {
			s.byte(1)
		} else {
			s.byte(0)
		}
		s.text(cut(text, recording.MaxText))
		if len(text) > 0 {
			kept[unsafe.Pointer(unsafe.StringData(text))] = true
		}
	case reflect.Pointer:
		s.byte(recording.Pointer)
		s.reach(v.UnsafePointer(), v.Type().Elem(), one)
	case reflect.Slice:
		s.byte(recording.Slice)
		s.reach(v.UnsafePointer(), v.Type().Elem(), v.Cap())
		s.int(v.Len())
		s.int(v.Cap())
	case reflect.Map:
		s.byte(recording.Map)
		s.reach(v.UnsafePointer(), v.Type(), referred)
		s.int(v.Len())
	case reflect.Chan:
		s.byte(recording.Chan)
		s.reach(v.UnsafePointer(), v.Type(), referred)
		s.int(v.Len())
		s.int(v.Cap())
	case reflect.Func:
		s.function(v)
	case reflect.Interface:
		s.dynamic(v, depth)
	case reflect.Struct:
		n := min(v.NumField(), recording.MaxElements)
		s.byte(recording.Struct)
		s.int(n)
		for i := range n {
			s.text(cut(v.Type().Field(i).Name, recording.MaxText))
			s.value(v.Field(i), depth+1)
		}
	case reflect.Array:
		n := min(v.Len(), recording.MaxElements)
		s.byte(recording.Array)
		s.int(v.Len())
		s.int(n)
		for i := range n {
			s.value(v.Index(i), depth+1)
		}
	default:
		s.byte(recording.Omitted)
	}
}

func (s *snapshot) scalar(text string) {
	s.byte(recording.Text)
	s.text(cut(text, recording.MaxText))
}

// function appends a function value: a pointer to a closure, whose first word is the address of the code.
func (s *snapshot) function(v reflect.Value) {
	s.byte(recording.Func)
	if v.IsNil() {
		s.address(nil)
		s.text("")
		return
	}
	var word unsafe.Pointer
	if v.CanAddr() {
		word = *(*unsafe.Pointer)(v.Addr().UnsafePointer())
	}
	s.reach(word, v.Type(), referred)
	name := ""
	if code := runtime.FuncForPC(v.Pointer()); code != nil {
		name = code.Name()
	}
	s.text(cut(name, recording.MaxText))
}

// dynamic appends an interface: its type word, and its data word, which is a pointer to a box unless the value itself
// is a single pointer.
func (s *snapshot) dynamic(v reflect.Value, depth int) {
	s.byte(recording.Interface)
	if v.IsNil() {
		s.int(0)
		return
	}
	e := v.Elem()
	s.typeOf(e.Type())
	if v.CanAddr() && !direct(e.Type()) {
		s.byte(1)
		word := (*[2]unsafe.Pointer)(v.Addr().UnsafePointer())[1]
		s.reach(word, e.Type(), one)
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
