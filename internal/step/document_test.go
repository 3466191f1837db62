package step

import (
	"reflect"
	"testing"
)

// TestEqual proves that Value.equal compares all fields of a Value: a forgotten field would hide a change from the
// sentences.
func TestEqual(t *testing.T) {
	for field := range reflect.TypeFor[Value]().Fields() {
		var v Value
		set := reflect.ValueOf(&v).Elem().FieldByIndex(field.Index)
		switch set.Kind() {
		case reflect.String:
			set.SetString("x")
		case reflect.Bool:
			set.SetBool(true)
		case reflect.Int:
			set.SetInt(1)
		case reflect.Pointer:
			set.Set(reflect.New(field.Type.Elem()))
		case reflect.Slice:
			set.Set(reflect.MakeSlice(field.Type, 1, 1))
		default:
			t.Fatalf("%s: a kind that this test cannot set", field.Name)
		}
		if v.equal(Value{}) || (Value{}).equal(v) || !v.equal(v) {
			t.Errorf("%s is not compared", field.Name)
		}
	}
	for _, pair := range [][2]Value{
		{{To: &Target{ID: 1}}, {To: &Target{ID: 2}}},
		{{To: &Target{ID: 1}}, {To: &Target{ID: 1, Offset: 8}}},
		{{Elems: []Value{{Text: "1"}}}, {Elems: []Value{{Text: "2"}}}},
	} {
		if pair[0].equal(pair[1]) {
			t.Errorf("%v and %v are equal", pair[0], pair[1])
		}
	}
}
