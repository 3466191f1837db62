package toolchain

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"onthestack/internal/verdict"
)

// Std lists the import paths of the standard library that a program may import, in order.
func (t *Toolchain) Std(ctx context.Context) ([]string, error) {
	r, err := t.describe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "list", "std")
	cmd.Env = t.environ(r, "")
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the standard library: %w", err)
	}
	var paths []string
	for _, path := range strings.Fields(string(out)) {
		if p := "/" + path + "/"; !strings.Contains(p, "/internal/") && !strings.Contains(p, "/vendor/") {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Warm compiles the packages with those import paths, of the standard library, into the build cache, and prepares vetting code
// that imports them, one package at a time so that other work on the machine goes on. It takes minutes for all of the standard
// library on a new machine and a second later on.
func (t *Toolchain) Warm(ctx context.Context, imports ...string) error {
	var program strings.Builder
	program.WriteString("package main\n\n")
	for _, path := range imports {
		fmt.Fprintf(&program, "import _ %q\n", path)
	}
	program.WriteString("\nfunc main() {}\n")
	src := verdict.Source{Files: map[string][]byte{"main.go": []byte(program.String())}}
	for _, subcommand := range []string{"build", "vet"} {
		b, err := t.build(ctx, src, subcommand, "-p=1")
		if err != nil {
			return err
		}
		b.Close()
		if !b.OK {
			return fmt.Errorf("go %s of the standard library: %s%s", subcommand, b.Stopped, b.Output)
		}
	}
	return nil
}
