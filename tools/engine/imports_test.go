package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestImportsOf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "book", "chapter", "listings", "one")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"listings/one/a.go", "package a\n\nimport (\n\t\"fmt\"\n\tr \"math/rand/v2\"\n)\n\nvar s = `\n\"io\"`\n",
			[]string{"fmt", "math/rand/v2"}},
		{"listings/one/compare_test.go", "package a\n\nimport (\n\t\"encoding/json\"\n\t\"os/exec\"\n)\n", nil},
		{"guide_test.go", "package a\n\nimport \"regexp\"\n", nil},
		{"page.md", "Text.\n```go\nimport \"os\"\nimport (\n\t\"hash/fnv\"\n\tx \"io\"\n)\nfmt.Println(\n\t\"a, " +
			"b\")\n```\n",
			[]string{"os", "hash/fnv", "io"}},
		{"examples.ts", "const a = `package main\n\nimport \"time\"\n\nfunc main() {}\n`;\nimport { x } from \"./" +
			"x\";\n",
			[]string{"time"}},
		{"listing.toml", "\"fmt\"\n", nil},
	} {
		name := filepath.Join(dir, "..", "..", filepath.FromSlash(c.name))
		if err := os.WriteFile(name, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := importsOf(name); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}
