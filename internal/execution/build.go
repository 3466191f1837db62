package execution

// A Source is a package to build, with all files of its module that it needs.
type Source struct {
	Files map[string][]byte // by slash-separated path from the root of the module
	// Dir is the slash-separated folder of the package, "" for the root of the module. A program that a client sent is
	// in the root; a solution is in its folder of the module onthestack.
	Dir string
	// Test means that the tests of a program are built instead of its main function.
	Test        bool
	Experiments []string // values of GOEXPERIMENT
	// Harness means that a program imports the harness's packages where they are compiled, at their own import paths.
	// Only a build without the go command finds them there.
	Harness bool
	// NoInlining means that a program is compiled without inlining any call (-l), which takes less time.
	NoInlining bool
	// Nice is added to the niceness of the processes of an isolated build, so that other processes come first.
	Nice int
}

// A Build is a built test binary. Close removes it.
type Build struct {
	OK     bool   // false: Output says why
	Binary string // path of the binary, if OK
	Output []byte // what the compiler and linker printed: build errors, or the escape report (-m=2)
	Stop   Stop

	Go, GOOS, GOARCH string

	Close func() error `json:"-"`
}

// A ToolResult is how a tool of the Go toolchain ended: the compiler, the linker, go vet, or a build with them.
type ToolResult struct {
	OK     bool   // it succeeded; for go vet, it found nothing
	Output []byte // stdout and stderr
	Stop   Stop
}

// A RaceResult is how a package's tests ended under the race detector.
type RaceResult struct {
	Built  bool   // false if the code does not compile with the race detector, that is under the build tag race
	Passed bool   // whether the tests passed
	Output []byte // what the tests printed, or the compiler if Built is false
	Stop   Stop   // the limit that stopped the build or the tests
}
