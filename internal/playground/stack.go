package playground

import (
	"maps"

	"onthestack/internal/execution"
)

// A program's goroutines may have stacks up to 4 MiB, some 50,000 calls deep. With the runtime's own limit, 1 GB,
// endless recursion would take all of the run's time, and the answer would not be Go's "stack overflow": filling 8 MiB
// takes 0.7 s, and walking them for the trace takes 1.8 s.
const stackLimit = `package main

import _ "unsafe" // for go:linkname; importing runtime/debug would make a small program twice as large

//go:linkname runner_setMaxStack runtime/debug.setMaxStack
func runner_setMaxStack(int) int

var _ = runner_setMaxStack(4 << 20)
`

// StackFile is the name of the file that WithStackLimit adds, where the program has none of that name.
const StackFile = "0stack.go"

// WithStackLimit adds a file that sets that limit. It is the first: its variable is made before the program's, which may recurse,
// and what the compiler says of a whole package it says of the last.
func WithStackLimit(src execution.Source) execution.Source {
	src.Files = maps.Clone(src.Files)
	name := StackFile
	for src.Files[name] != nil {
		name = "0" + name
	}
	src.Files[name] = []byte(stackLimit)
	return src
}
