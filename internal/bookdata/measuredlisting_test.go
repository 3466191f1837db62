package bookdata

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// TestDiagnosed tests that a listing is stored without the compiler's diagnostics, which its report and its source give
// again: those about its own code, with the storage that only the source shows.
func TestDiagnosed(t *testing.T) {
	stored := &MeasuredListing{
		Listing: "a/listings/x",
		Verdict: &verdict.Verdict{Go: "go1.26.8", Escapes: []escape.Diagnostic{{Message: "another build's"}}},
		Report: []string{
			"# onthestack/book/a/listings/x",
			"slices/sort.go:9:6: can inline slices.Sort[go.shape.[]int]",
			"./x.go:6:18: t.temp escapes to heap in print:",
			"./x.go:6:18:   flow: {heap} ← &{storage for t.temp}:",
			"./x.go:6:18:     from t.temp (spill) at ./x.go:6:18",
			"./x.go:6:18: t.temp escapes to heap",
		},
	}
	dir := t.TempDir()
	if err := stored.Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(MeasuredFile(stored.Listing))))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "escapes\"") || !strings.Contains(string(text), `"go":"go1.26.8"`) {
		t.Errorf("stored\n%s", text)
	}
	book := fstest.MapFS{
		MeasuredFile(stored.Listing): {Data: text},
		"a/listings/x/x.go": {Data: []byte("package x\n\ntype T struct{ temp float64 }\n\n" +
			"func print(t *T, show func(any)) {\n\tshow(any(t.temp))\n}\n")},
	}
	l, err := ReadMeasuredListing(book, stored.Listing)
	if err != nil {
		t.Fatal(err)
	}
	v, err := l.Diagnosed(book)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Escapes) != 1 || v.Escapes[0].File != "x.go" || v.Escapes[0].Line != 6 || len(v.Escapes[0].Flow) != 2 {
		t.Fatalf("got %+v", v.Escapes)
	}
	if got, want := v.Escapes[0].Flow[1].Message, "t.temp is stored in an interface"; got != want {
		t.Errorf("the step says %q, want %q", got, want)
	}
	if v.Go != "go1.26.8" || l.Verdict.Escapes != nil {
		t.Errorf("the verdict is %+v, the listing's %+v", v, l.Verdict)
	}
}

// TestFold tests that records have a line each, and larger ones a line for each of their values.
func TestFold(t *testing.T) {
	long := strings.Repeat("é", lineLength)
	type record struct {
		Name string    `json:"a<b"`
		At   []float64 `json:"at"`
	}
	for _, test := range []struct {
		v    any
		want string
	}{
		{record{"x", []float64{1, 2.5}}, `{"a<b":"x","at":[1,2.5]}` + "\n"},
		{[]record{{"<[{\"", []float64{1}}, {long, nil}},
			"[\n {\"a<b\":\"<[{\\\"\",\"at\":[1]},\n {\n  \"a<b\":\"" + long + "\",\n  \"at\":null\n }\n]\n"},
		{[]string{long[:2*(lineLength-5)]}, "[\"" + long[:2*(lineLength-5)] + "\"]\n"},
		{[]string{long[:2*(lineLength-4)]}, "[\n \"" + long[:2*(lineLength-4)] + "\"\n]\n"},
	} {
		if got := string(fold(encode(test.v), lineLength)); got != test.want {
			t.Errorf("%v: got\n%s\nwant\n%s", reflect.TypeOf(test.v), got, test.want)
		}
	}
}
