package recorder

import (
	"reflect"
	"strconv"
	"unsafe"

	"onthestack/internal/harness/wire"
)

// A knownType is what the recorder remembers of a type.
type knownType struct {
	name   string
	number int                // in messages; 0 if it has not been declared
	fields []string           // names of the first fields
	arrays map[int]*knownType // of this type, by length
}

// types holds the types that have been looked up, by the pointer that package reflect has for each. A map whose key is
// a reflect.Type would find the hash function of the key's dynamic type each time.
var (
	types    = map[unsafe.Pointer]*knownType{}
	declared int
)

//go:noinline
func lookup(t reflect.Type) *knownType {
	p := reflect.ValueOf(t).UnsafePointer()
	known := types[p]
	if known == nil {
		known = newType(t)
		types[p] = known
	}
	return known
}

//go:noinline
func newType(t reflect.Type) *knownType {
	known := &knownType{name: cut(t.String(), wire.MaxTypeName), arrays: map[int]*knownType{}}
	if t.Kind() == reflect.Struct {
		for i := range min(t.NumField(), wire.MaxElements) {
			known.fields = append(known.fields, cut(t.Field(i).Name, wire.MaxText))
		}
	}
	return known
}

// array returns the type of an array of type t. Package reflect has it too, but with much code that a program which is
// stepped through would have to link.
//
//go:noinline
func (t *knownType) array(length int) *knownType {
	array := t.arrays[length]
	if array == nil {
		array = &knownType{name: cut("["+strconv.Itoa(length)+"]"+t.name, wire.MaxTypeName)}
		t.arrays[length] = array
	}
	return array
}
