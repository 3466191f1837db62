package programs

import (
	"maps"

	"onthestack/internal/execution"
)

// stackLimit limits the stack of a goroutine to 4 MiB, about 50,000 calls. With the runtime's own limit, 1 GB, endless
// recursion would exceed the time of a run before Go reports "stack overflow": filling 8 MiB takes 0.7 s, and walking
// them for the traceback takes 1.8 s.
const stackLimit = `package main

import _ "unsafe" // for go:linkname; importing runtime/debug would make a small program twice as large

//go:linkname runner_setMaxStack runtime/debug.setMaxStack
func runner_setMaxStack(int) int

var _ = runner_setMaxStack(4 << 20)
`

// StackFile is the name of the file that WithStackLimit adds, unless the program has a file of that name.
const StackFile = "0stack.go"

// WithStackLimit adds the file that limits the stack. It is the first file of the package, because its variable must be
// initialized before the program's variables, whose initialization may recurse. The compiler reports errors about the
// whole package in the last file, which stays one of the program's.
func WithStackLimit(src execution.Source) execution.Source {
	src.Files = maps.Clone(src.Files)
	name := StackFile
	for src.Files[name] != nil {
		name = "0" + name
	}
	src.Files[name] = []byte(stackLimit)
	return src
}
