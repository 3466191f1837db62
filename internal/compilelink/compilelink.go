// Package compilelink plans builds without the go command: it decides which files and flags the compiler and the linker
// of a Go release get, and has a Machine run them. It does no I/O itself.
//
// The programs and the messages are the same as from the go command. It does not build packages with cgo, embedded
// files or build constraints; for these a plan reports ok=false, and the caller uses the go command.
package compilelink

import (
	"context"
	"go/version"
	"strings"

	"onthestack/internal/execution"
)

// language is the oldest language version of the workbook's programs.
const language = "1.26"

// Oldest is the oldest Go release that can build the workbook's programs.
const Oldest = "go" + language

// Module is the go.mod for files without one.
const Module = "module onthestack\n\ngo " + language + ".0\n"

// Names in the folder of a build.
const (
	Source = "module"  // the folder with the module's sources
	Binary = "program" // the linked program
)

// A Machine has a folder for one build and runs the tools of a Go release in it. Names in the folder are
// slash-separated, as "module/prog.go".
type Machine interface {
	// Path returns the absolute path of a file or a folder of the build, as the tools are told it.
	Path(name string) string
	// Write writes a file and creates its folders.
	Write(name string, text []byte) error
	// Run runs a tool, "compile" or "link", in the folder Source. A mistake in the program and a limit that the tool
	// reaches are in the result; they are not errors.
	Run(ctx context.Context, tool string, args ...string) (execution.ToolResult, error)
}

// A Toolchain is a Go release for a platform with compiled packages.
type Toolchain struct {
	Go           string // "go1.26.8"
	GOOS, GOARCH string
	Archives     *Archives // never nil
	LinkFlags    []string  // for every program
	Concurrency  int       // how many functions the compiler compiles at the same time
}

// Language returns the release's language version, "1.26".
func (t Toolchain) Language() string { return strings.TrimPrefix(version.Lang(t.Go), "go") }
