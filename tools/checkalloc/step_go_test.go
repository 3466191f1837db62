package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/step"
	"onthestack/tools/checkalloc/app"
)

// TestProofStepReleases steps through a program on two releases. Command step compiles the standard library of each.
func TestProofStepReleases(t *testing.T) {
	older, newest := twoReleases(t)
	releases := []string{older, newest}
	name := filepath.Join(t.TempDir(), "main.go")
	const program = "package main\n\nvar sink *int\n\nfunc main() {\n\tn := 1\n\tsink = &n\n}\n"
	if err := os.WriteFile(name, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	args := []string{"step", name, "--json", "--go", strings.Join(releases, ",")}
	if code := run(args, strings.NewReader(""), &out, &stderr); code != app.ExitPassed {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), stderr.String())
	}
	var c step.Comparison
	if err := json.Unmarshal(out.Bytes(), &c); err != nil || c.Schema != step.CompareSchema || len(c.Programs) != 2 {
		t.Fatalf("%v, %d programs", err, len(c.Programs))
	}
	for i, p := range c.Programs {
		last := p.Steps.Steps[len(p.Steps.Steps)-1]
		if p.Name != releases[i] || p.Go != releases[i] || p.Steps.Unmeasured != "" || last.Allocs != 1 ||
			len(last.Heap) != 1 || last.Heap[0].Name != "n" {
			t.Errorf("%s on %s: %+v, unmeasured %q", p.Name, p.Go, last, p.Steps.Unmeasured)
		}
	}
}
