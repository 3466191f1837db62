// Package execution has the types that describe building and running: what is built (Source, Build), how the run of a
// program or of tests ended (Result, TestRun), the limit that stopped it (Stop), and what a program printed (Log,
// Event, and Pieces in a page), within its limit on output (Meter). Packages that build and run return these types, and
// the checker and the playground read them. This package imports none of those packages, and builds for js/wasm.
//
// It also has what all packages that run something share: a command that the operating system holds to limits
// (Command, with ProcessLimits), and work that is done concurrently and whose results come in order (InOrder).
//
// The sentence about a build or a run that reached a limit is in stop.go, in Stop.String. The limits that are the same
// on a server and in a page are in execution.go. On a server, package build enforces the limits of a build, and package
// sandbox the limits of a run. In a page, tools/engine/page/run.go sets the limits of a run, and in
// web/src/engine/sandbox supervisor.ts enforces its time and worker.ts the rest.
package execution

// Limits on what strangers send, in bytes. They are the same on a server and in a page.
const (
	MaxSource = 64 << 10  // of a program, or of all files of a solution together
	MaxMemory = 256 << 20 // of a program's WebAssembly memory
	MaxDisk   = 32 << 20  // of the files that a program writes
	MaxOutput = 1 << 20   // of a program's stdout and stderr together
	MaxReport = 8 << 20   // of the report of the harness in a test program
)
