package execution

// Limits on what strangers send, in bytes. They are the same on a server and in a page.
const (
	MaxSource = 64 << 10  // of a program, or of all files of a solution together
	MaxMemory = 256 << 20 // of a program's WebAssembly memory
	MaxDisk   = 32 << 20  // of the files that a program writes
	MaxOutput = 1 << 20   // of a program's stdout and stderr together
	MaxReport = 8 << 20   // of the report of the harness in a test program
)
