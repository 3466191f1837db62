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
