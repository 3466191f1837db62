package execution

// A Source is the package to build. Files holds all files of the module "onthestack" that the package needs, by
// slash-separated path from the module's root; Dir is the package's own folder in it.
type Source struct {
	Dir   string
	Files map[string][]byte
}

// A Build is a built test binary. Close removes it.
type Build struct {
	OK     bool   // false: Output says why
	Binary string // path of the binary, if OK
	Output []byte // what the compiler and linker printed: build errors, or the escape report (-m=2)
	Stop   Stop

	Go, GOOS, GOARCH string

	Close func() error
}

// A VetResult is how go vet ended for a package that builds.
type VetResult struct {
	OK     bool   // vet found nothing
	Output []byte // what it found
	Stop   Stop
}

// A RaceResult is how a package's tests ended under the race detector.
type RaceResult struct {
	Built  bool   // false if the code does not compile with the race detector, that is under the build tag race
	Passed bool   // whether the tests passed
	Output []byte // what the tests printed, or the compiler if Built is false
	Stop   Stop   // the limit that stopped the build or the tests
}
