package userpkg

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/build"
)

// TestMemory compiles constants that double until the compiler may have no more memory, as explain and as escape do:
// the report names the limit and shows nothing of the compiler's own end. The limit is lower than a user's limit,
// because a user's machine may have more memory than a machine that runs tests.
func TestMemory(t *testing.T) {
	defer func(l build.Limits) { limits = l }(limits)
	limits.Memory = 1 << 30
	const want = "the build needed more than 1024 MiB of memory and was stopped"

	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	source := "package m\n\nconst c0 = \"xxxxxxxxxxxxxxxx\"\n"
	for i := range 9 {
		source += fmt.Sprintf("const c%d = %s\n", i+1,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("c%d + ", i), 8), " + "))
	}
	source += "\nfunc F() byte {\n\ts := c9\n\treturn s[5]\n}\n"
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.21\n", "m.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	config := Config{Dir: dir}
	report, err := config.PackageEscapes(t.Context(), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.OK || len(report.Problems) > 0 || !slices.Equal(report.Lines, []string{want}) {
		t.Errorf("escape: OK %v, problems %v, lines %.300q, want %q", report.OK, report.Problems, report.Lines, want)
	}

	p, err := config.Load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Compile(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	c := p.Built
	if c.OK || len(c.Problems) > 0 || !slices.Equal(c.Lines, []string{want}) {
		t.Errorf("explain: OK %v, problems %v, lines %.300q, want %q", c.OK, c.Problems, c.Lines, want)
	}
}
