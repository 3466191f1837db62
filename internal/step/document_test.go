package step

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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

// TestWithoutSizes tests that a document without sizes differs from the document in nothing else.
func TestWithoutSizes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "document.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	size := regexp.MustCompile(`, \d+ B\b`)
	unsized, removed := d.WithoutSizes(), 0
	for i, s := range d.Steps {
		got := unsized.Steps[i]
		removed += len(size.FindAllString(s.Sentence, -1))
		if want := size.ReplaceAllString(s.Sentence, ""); got.Sentence != want {
			t.Errorf("the sentence is %q, want %q", got.Sentence, want)
		}
		if got.Bytes != 0 || got.Allocs != s.Allocs || len(got.Heap) != len(s.Heap) {
			t.Errorf("step %d: got %d allocs of %d B, and %d objects on the heap", i, got.Allocs, got.Bytes, len(got.Heap))
		}
		for j, o := range got.Heap {
			if o.Bytes = s.Heap[j].Bytes; !reflect.DeepEqual(o, s.Heap[j]) {
				t.Errorf("step %d: object %d has changed", i, o.ID)
			}
		}
	}
	for i, l := range unsized.Lines {
		if l.Bytes != 0 || l.Allocs != d.Lines[i].Allocs {
			t.Errorf("line %d: %d allocs of %d B", l.Line, l.Allocs, l.Bytes)
		}
	}
	if removed == 0 || d.Steps[len(d.Steps)-1].Bytes == 0 {
		t.Errorf("%d sizes were removed, and the document itself has %d B", removed, d.Steps[len(d.Steps)-1].Bytes)
	}
}
