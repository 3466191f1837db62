package exercise

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const manifest = `title = "T"
teaches = "W"
techniques = ["size"]
chapter = "c"
article = "a.txt"
edit = ["x.go"]
function = "X"
task = "Do it."
checked = "That it is done."
[[benchmark]]
name = "BenchmarkX"
allocs = 1
bytes = 16
[[hint]]
text = "1"
[[hint]]
text = "2"
[[hint]]
text = "3"
`

func small() (files, solution map[string][]byte) {
	return map[string][]byte{
			"x.go": []byte("package x\n\nfunc X() {}\n\ntype T[E any] struct{}\n\nfunc (t *T[E]) Y() {}\n"),
			"x_test.go": []byte("package x_test\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n\n" +
				"func BenchmarkX(b *testing.B) {}\n\nfunc BenchmarkXConfirm(b *testing.B) {}\n\n" +
				"func BenchmarkXConfirmMore(b *testing.B) {}\n\nfunc BenchmarkOther(b *testing.B) {}\n"),
		}, map[string][]byte{
			"x.go": []byte("package x\n\n// Solved.\n"),
		}
}

func TestNewErrors(t *testing.T) {
	replace := func(old, by string) func(*string, map[string][]byte, map[string][]byte) {
		return func(m *string, _, _ map[string][]byte) { *m = strings.Replace(*m, old, by, 1) }
	}
	for name, test := range map[string]struct {
		change func(m *string, files, solution map[string][]byte)
		want   string
	}{
		"no TOML":         {replace("title =", "title"), "exercises/exercise6/exercise.toml: "},
		"unknown key":     {replace("title", "colour = \"red\"\ntitle"), `unknown key "colour"`},
		"no title":        {replace(`"T"`, `""`), "title is empty"},
		"teaches nothing": {replace(`"W"`, `" "`), "teaches is empty"},
		"no task":         {replace(`"Do it."`, `" "`), "task is empty"},
		"no function": {replace(`"X"`, `"Z"`),
			`function "Z": none of x.go declares it; write a method as Type.Method`},
		"a method alone": {replace(`"X"`, `"Y"`), `function "Y": none of x.go declares it`},
		"no technique":   {replace(`["size"]`, `[]`), "techniques is empty: name at least one of interface, closure, "},
		"unknown technique": {replace(`"size"`, `"sise"`),
			`unknown technique "sise": there are interface, closure, type-parameter, pointer, value, size, `},
		"technique twice":   {replace(`"size"`, `"size", "size"`), `technique "size" is named twice`},
		"nothing to edit":   {replace(`["x.go"]`, `[]`), "edit and [[benchmark]] need"},
		"two hints":         {replace("[[hint]]\ntext = \"3\"\n", ""), "2 hints: write at least three"},
		"empty hint":        {replace(`"2"`, `" "`), "hint 2 is empty"},
		"edit elsewhere":    {replace(`"x.go"`, `"../x.go"`), "which is not in exercises/exercise6"},
		"edit a test":       {replace(`"x.go"`, `"x_test.go"`), "a solver does not edit tests"},
		"unknown benchmark": {replace("BenchmarkX", "BenchmarkY"), `"BenchmarkY": no test file`},
		"nothing confirms": {replace("BenchmarkX", "BenchmarkOther"),
			`"BenchmarkOther": no test file in exercises/exercise6 declares BenchmarkOtherConfirm`},
		"no solution": {func(_ *string, _, s map[string][]byte) { delete(s, "x.go") },
			"which is not in solutions/exercise6"},
		"stray solution": {func(_ *string, _, s map[string][]byte) { s["y.go"] = nil },
			"solutions/exercise6/y.go: not in edit"},
		"starter of no Go": {func(_ *string, f, _ map[string][]byte) { f["x.go"] = []byte("pack") }, "x.go:1:1"},
		"internal tests": {func(_ *string, f, _ map[string][]byte) {
			f["x_test.go"] = []byte("package x\n")
		}, "use x_test"},
		"no test": {func(_ *string, f, _ map[string][]byte) { f["x_test.go"] = []byte("package x_test\n") },
			"no test function"},
		"two packages": {func(m *string, f, s map[string][]byte) {
			*m = strings.Replace(*m, `["x.go"]`, `["x.go", "y.go"]`, 1)
			f["y.go"], s["y.go"] = []byte("package y\n"), []byte("package y\n")
		}, "x.go is in package x, y.go in package y"},
	} {
		t.Run(name, func(t *testing.T) {
			m := manifest
			files, solution := small()
			test.change(&m, files, solution)
			_, err := New("exercise6", []byte(m), files, solution)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestSolutionCopies tests that a solution may have unchanged copies of files of the exercise, which are no part of it.
func TestSolutionCopies(t *testing.T) {
	files, solution := small()
	files["other.go"] = []byte("package x\n")
	solution["other.go"] = files["other.go"]
	e, err := New("exercise6", []byte(manifest), files, solution)
	if err != nil || len(e.Solution) != 1 || e.Solution["x.go"] == nil {
		t.Errorf("the solution is %v, %v", e.Solution, err)
	}
	solution["other.go"] = []byte("package x // changed\n")
	if _, err := New("exercise6", []byte(manifest), files, solution); err == nil ||
		!strings.Contains(err.Error(), "solutions/exercise6/other.go: not in edit") {
		t.Errorf("a changed copy: %v", err)
	}
}

// TestFunctionIsMethod tests that a method is named with its type, whatever the receiver is.
func TestFunctionIsMethod(t *testing.T) {
	files, solution := small()
	if _, err := New("exercise6", []byte(strings.Replace(manifest, `"X"`, `"T.Y"`, 1)), files, solution); err != nil {
		t.Error(err)
	}
}

func TestSeal(t *testing.T) {
	files, solution := small()
	e, err := New("exercise17", []byte(manifest), files, solution)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Benchmarks[0].Confirm; !slices.Equal(got, []string{"BenchmarkXConfirm", "BenchmarkXConfirmMore"}) {
		t.Errorf("a pass is confirmed by %v", got)
	}
	live := 48.5
	e.Figures = &Figures{Go: "go1.26.8", Starter: []Figure{{"BenchmarkX", 2.5, 112, &live}},
		Solution: []Figure{{"BenchmarkX", 1, 16, nil}}}
	name, archive, err := Seal(e)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := Pack(map[string][]byte{name: archive})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := Archives(packed); err != nil || len(all) != 1 || !bytes.Equal(all[name], archive) {
		t.Errorf("archives %q, error %v", all, err)
	}
	if len(c) != 1 || !reflect.DeepEqual(c[0], e) {
		t.Errorf("unsealed %+v\nsealed %+v", c, e)
	}
}

// TestUnpackRefuses unpacks a file that ends early.
func TestUnpackRefuses(t *testing.T) {
	for _, n := range []int{100, 1000} {
		if _, err := Unpack(sealed[:n]); err == nil || !strings.HasPrefix(err.Error(), SealedFile+": ") {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
}

// TestUnsealRefuses loads archives that are not complete, or not what Seal writes.
func TestUnsealRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"-- exercise.toml --\ntitle = \"T\"\n":    "exercise6.txtar has no names.json: run make seal",
		"-- exercise.toml --\ntitle\n":            "exercise6.txtar: exercise.toml: ",
		"-- names.json --\n{\"tests\": 1}\n":      "exercise6.txtar: names.json: ",
		"-- figures.json --\n{\"starter\": {}}\n": "exercise6.txtar: figures.json: ",
	} {
		_, err := unseal("exercise6", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestSealRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no newline at the end": "package x\n\nfunc X() {}\n\nconst a = 1",
		"a line like a marker":  "package x\n\nfunc X() {}\n\n/*\n-- y.go --\n*/\n",
	} {
		for _, where := range []string{"starter", "solution"} {
			t.Run(name+"/"+where, func(t *testing.T) {
				files, solution := small()
				map[string]map[string][]byte{"starter": files, "solution": solution}[where]["x.go"] = []byte(text)
				e, err := New("exercise6", []byte(manifest), files, solution)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := Seal(e); err == nil ||
					!strings.Contains(err.Error(), "x.go of exercise6 cannot be sealed") {
					t.Errorf("error %v", err)
				}
			})
		}
	}
}

// TestOrder tests that exercises are offered by number, whatever their level.
func TestOrder(t *testing.T) {
	var c Catalog
	for _, e := range []struct{ id, level string }{
		{"exercise15", "warm-up"}, {"exercise7", "capstone"}, {"exercise40", "easy"}, {"exercise6", ""},
	} {
		c = append(c, &Exercise{ID: e.id, Manifest: Manifest{Level: e.level}})
	}
	c.Sort()
	var got []string
	for _, e := range c {
		got = append(got, e.ID)
	}
	if want := "exercise6 exercise7 exercise15 exercise40"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	files, solution := small()
	text := strings.Replace(manifest, "chapter", "level = \"steep\"\nchapter", 1)
	if _, err := New("exercise6", []byte(text), files, solution); err == nil ||
		!strings.Contains(err.Error(), `unknown level "steep": there are warm-up, easy`) {
		t.Errorf("an unknown level: error %v", err)
	}
}

// TestRamp tests that each exercise of the workbook has a level, and that each level has exercises.
func TestRamp(t *testing.T) {
	catalog, err := Sealed()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for _, e := range catalog {
		if e.Level == "" {
			t.Errorf("%s has no level: add one to its manifest", e.ID)
		}
		of[e.Level]++
	}
	for _, l := range Levels {
		if of[l.ID] == 0 {
			t.Errorf("no exercise has the level %q", l.ID)
		}
	}
	if last := catalog[len(catalog)-1]; catalog[0].Level != "warm-up" || last.ID != "exercise40" {
		t.Errorf("the workbook begins with %s, a %s, and ends with %s", catalog[0].ID, catalog[0].Level, last.ID)
	}
}

func TestCatalog(t *testing.T) {
	archives := map[string][]byte{}
	for _, id := range []string{"exercise15", "exercise14", "exercise6"} {
		files, solution := small()
		e, err := New(id, []byte(manifest), files, maps.Clone(solution))
		if err != nil {
			t.Fatal(err)
		}
		name, archive, err := Seal(e)
		if err != nil {
			t.Fatal(err)
		}
		archives[name] = archive
	}
	unpack := func() (Catalog, error) {
		packed, err := Pack(archives)
		if err != nil {
			t.Fatal(err)
		}
		return Unpack(packed)
	}
	c, err := unpack()
	if err != nil {
		t.Fatal(err)
	}
	if c[0].ID != "exercise6" || c[1].ID != "exercise14" || c[2].ID != "exercise15" {
		t.Errorf("order %s %s %s", c[0].ID, c[1].ID, c[2].ID)
	}
	if c.Lookup("exercise7") != nil || c.Lookup("exercise14") != c[1] {
		t.Error("Lookup")
	}
	archives["exercise40.txtar"] = []byte("-- figures.json --\n[\n")
	if _, err := unpack(); err == nil || !strings.Contains(err.Error(), "exercise40.txtar") {
		t.Errorf("a broken archive: error %v", err)
	}
}
