package compilelink

import (
	"testing"

	"onthestack/internal/execution"
)

// FuzzProgram proves that no source brings down what decides how it is built.
func FuzzProgram(f *testing.F) {
	for _, text := range []string{"", "package main", "module m\n\ngo 1.26\n", "\x00", "package main\nimport \"os\"\n",
		"package main\nimport `\n", "package _\n"} {
		f.Add("prog.go", text, "go.mod", text)
	}
	archives, err := List{Packages: []Package{{"os", "os.a"}}}.Archives([]string{"os"})
	if err != nil {
		f.Fatal(err)
	}
	archives.ImportConfig = "x"
	toolchain := Toolchain{Go: "go1.26.8", Archives: archives}
	f.Fuzz(func(t *testing.T, name, text, second, other string) {
		p := execution.Source{Files: map[string][]byte{name: []byte(text), second: []byte(other)}}
		if Refuse(p) != "" {
			return
		}
		if plan, ok := toolchain.Program(p); ok && (plan.units[0].name != "main" || len(plan.units[0].files) == 0) {
			t.Errorf("%+v", plan.units[0])
		}
	})
}
