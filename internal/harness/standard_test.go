package harness

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestEditStandard changes the standard library of the installed Go, and sources without the declarations that are
// changed.
func TestEditStandard(t *testing.T) {
	for file, inserted := range map[string]string{
		"runtime/malloc.go":    "if mp.mallocing = int32(size) + 1; MemProfileRate != 1 && off+size <= maxTinySize ",
		"testing/benchmark.go": `if h.Current() == b { h.Timer("ResetTimer") }`,
		"testing/testing.go":   "_ = c; h.Skipping(fmt.Sprintf(format, args...))",
	} {
		source, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		pkg, base := filepath.Split(filepath.FromSlash(file))
		edited, err := EditStandard(filepath.Clean(pkg), base, source)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(edited, []byte(inserted)) {
			t.Errorf("%s has no %s", file, inserted)
		}
		if a, b := bytes.Count(source, []byte("\n")), bytes.Count(edited, []byte("\n")); a != b {
			t.Errorf("%s has %d lines, edited %d", file, a, b)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), base, edited, 0); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, test := range []struct{ pkg, base, source, want string }{
		{"runtime", "malloc.go", "package runtime\n\nvar x = maxTinySize\n", "no condition"},
		{"runtime", "malloc.go", "package runtime\n\nfunc f() {\nif off+size <= maxTinySize && c.tiny != 0 {\n}\n}\n",
			"no function profilealloc"},
		{"testing", "benchmark.go", "package testing\n", "does not import flag"},
		{"testing", "testing.go", "package testing\n\nimport (\n\"flag\"\n\"fmt\"\n)\n\ntype common struct{}\n\n" +
			"func (c *common) Skip(args ...any) {}\n\nfunc (c *common) Skipf(args ...any) {}\n",
			"no method common.Skipf with 2 parameters"},
		{"runtime", "mheap.go", "package runtime\n\nvar x = maxTinySize\n", ""},
		{"runtime", "proc.go", "no Go", ""},
		{"fmt", "malloc.go", "package fmt\n\nvar x = maxTinySize\n", ""},
	} {
		edited, err := EditStandard(test.pkg, test.base, []byte(test.source))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) ||
			edited != nil {
			t.Errorf("%s/%s: %s, %v", test.pkg, test.base, edited, err)
		}
	}
}
