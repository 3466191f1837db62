package harness

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestFunctions(t *testing.T) {
	const source = `package x_test

func Test() {}
func TestX() {}
func Test_x() {}
func Test1() {}
func Testify() {}
func TestÄ() {}
func Testä() {}
func TestMain() {}
func (T) TestMethod() {}
func BenchmarkX() {}
var TestV = 1
`
	for prefix, want := range map[string][]string{
		"Test":      {"Test", "TestX", "Test_x", "Test1", "TestÄ"},
		"Benchmark": {"BenchmarkX"},
		"Fuzz":      nil,
	} {
		pkg, names, err := Functions("x_test.go", []byte(source), prefix)
		if err != nil || pkg != "x_test" || !slices.Equal(names, want) {
			t.Errorf("%s: %s %v %v, want %v", prefix, pkg, names, err, want)
		}
	}
	if _, _, err := Functions("x_test.go", []byte("package"), "Test"); err == nil {
		t.Error("no error for a file that is no Go")
	}
}

// TestFilesBuild compiles what Files returns, on both platforms of a check.
func TestFilesBuild(t *testing.T) {
	files, err := Files("exercises/x", "x_test", []string{"BenchmarkX", "BenchmarkY"})
	if err != nil {
		t.Fatal(err)
	}
	files["go.mod"] = []byte("module onthestack\n\ngo 1.26.0\n")
	files["exercises/x/x.go"] = []byte("package x\n")
	files["exercises/x/x_test.go"] = []byte("package x_test\n\nimport \"testing\"\n\nfunc BenchmarkX(*testing.B) {}\n\nfunc BenchmarkY(*testing.B) {}\n")
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, files[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, platform := range [][]string{nil, {"GOOS=wasip1", "GOARCH=wasm"}} {
		cmd := exec.Command("go", "test", "-c", "-o", os.DevNull, "./exercises/x")
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), platform...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", platform, err, out)
		}
	}
}
