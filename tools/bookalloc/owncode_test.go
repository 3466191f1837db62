package main

import (
	"slices"
	"strings"
	"testing"

	"onthestack/internal/gocommand"
)

// TestOwnCode proves that packages for code of the user, internal/owncode, are a second product on the same kernel: they
// import nothing of this repository but the kernel, and only their commands import them.
func TestOwnCode(t *testing.T) {
	const module, ownCode = "onthestack/", "onthestack/internal/owncode/"
	kernel := strings.Fields("build escape execution gocommand harness harness/wire present present/html " +
		"printable profile safefile schematest verdict why")
	commands := []string{"onthestack/tools/checkalloc/command", "onthestack/tools/survey"}
	// Tests of the commands, and one that compares the explanations of a program in a page and of a package.
	tests := append(commands, "onthestack/tools/checkalloc", "onthestack/internal/programs")

	type listed struct {
		ImportPath                         string
		Imports, TestImports, XTestImports []string
	}
	packages, err := gocommand.List[listed](t.Context(), gocommand.Options{Dir: repository},
		"-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, p := range packages {
		check := func(imports, users []string) {
			for _, path := range imports {
				from, to := strings.HasPrefix(p.ImportPath, ownCode), strings.HasPrefix(path, ownCode)
				switch {
				case !strings.HasPrefix(path, module) || from && to:
				case from && !slices.Contains(kernel, strings.TrimPrefix(path, module+"internal/")):
					t.Errorf("%s imports %s, which is not of the kernel", p.ImportPath, path)
				case to && !slices.Contains(users, p.ImportPath):
					t.Errorf("%s imports %s, which is for the commands alone", p.ImportPath, path)
				case to:
					found++
				}
			}
		}
		check(p.Imports, commands)
		check(slices.Concat(p.TestImports, p.XTestImports), tests)
	}
	if found < 5 {
		t.Errorf("%d imports of %s were found", found, ownCode)
	}
}
