// Package compilelink plans builds without the go command: it decides which files the compiler and the linker of a Go
// release are given and with which flags, and has a Machine run them. It does no I/O itself.
//
// Its programs and its messages are those of the go command. It does not build packages with cgo, embedded files or
// build constraints; for these a plan reports ok=false, and the caller uses the go command.
package compilelink

import (
	"context"
	"go/version"
	"strings"
)

// language is the oldest version of the language that the workbook's programs are in.
const language = "1.26"

// Oldest is the oldest Go release that can build the workbook's programs.
const Oldest = "go" + language

// Module is the go.mod of files that bring none.
const Module = "module onthestack\n\ngo " + language + ".0\n"

// Names in the folder of a build.
const (
	Source = "module"  // the folder of the module's sources
	Binary = "program" // what is linked
)

// A Machine is where a build takes place: a folder of its own, and the tools of a Go release. Files and folders in that folder
// have slash-separated names, as "module/prog.go".
type Machine interface {
	// Path returns what the tools call a file or a folder of the build's: its absolute path.
	Path(name string) string
	// Write writes a file, and makes the folders that lead to it.
	Write(name string, text []byte) error
	// Run runs a tool, "compile" or "link", in the folder Source. What is wrong with the program, and a limit that the tool
	// reaches, is not an error but in the Result.
	Run(ctx context.Context, tool string, args ...string) (Result, error)
}

// A Toolchain is a Go release for a platform, with packages that are compiled.
type Toolchain struct {
	Go           string // "go1.26.8"
	GOOS, GOARCH string
	Archives     *Archives // never nil
	LinkFlags    []string  // of every program
	Concurrency  int       // how many functions the compiler works on at once
}

// Language is the release's version of the language, "1.26".
func (t Toolchain) Language() string { return strings.TrimPrefix(version.Lang(t.Go), "go") }
