//go:build js && wasm

package main

import (
	"context"
	"fmt"
	"path"
	"syscall/js"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// A secondMachine compiles one package in a second worker. That worker has none of the files of the first, so it gets
// the files of the build, and the archives that the package imports. The compiler reads no other archives, because the
// export data of a package also has what the compiler needs of the packages that it imports in turn.
type secondMachine struct {
	archives map[string]string // the names of all archives by import path
	files    []any
	read     map[string]bool // the names of the archives that the compiler reads
}

func newSecondMachine(archives map[string]string) *secondMachine {
	return &secondMachine{archives: archives, read: map[string]bool{importConfig: true}}
}

// Path implements compilelink.Machine.
func (*secondMachine) Path(name string) string { return path.Join(work, name) }

// Write implements compilelink.Machine.
func (m *secondMachine) Write(name string, text []byte) error {
	m.files = append(m.files, map[string]any{"name": m.Path(name), "bytes": bytesOf(text)})
	imports, err := harness.Imports(name, text)
	if err != nil {
		return fmt.Errorf("read the imports of %s: %w", name, err)
	}
	for _, imported := range imports {
		if archive, ok := m.archives[imported]; ok {
			m.read[archive] = true
		}
	}
	return nil
}

// Run implements compilelink.Machine.
func (m *secondMachine) Run(_ context.Context, tool string, args ...string) (execution.ToolResult, error) {
	if tool != "compile" {
		return execution.ToolResult{}, fmt.Errorf("run %s in the second worker: it has only the compiler", tool)
	}
	var archives []any
	for name := range m.read {
		archives = append(archives, name)
	}
	ended, err := await("compileElsewhere", m.Path(compilelink.Source), jsList(args), m.files, archives)
	if err != nil {
		return execution.ToolResult{}, err
	}
	return toolResult(ended), nil
}

func jsList(texts []string) js.Value {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return js.ValueOf(list)
}
