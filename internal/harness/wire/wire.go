// Package wire is the form in which a checked test binary reports to the checker.
//
// A report is a stream of JSON values, one a line, written as things happen: a program that dies half-way has told all up to
// there, and the missing Done shows that it did not come to its end. The stream travels beside stdout and stderr, on a channel
// that only the checker's own code in the binary holds (see package testmain), so nothing that a program prints is taken for it.
package wire

// An Event is one line of a report. Exactly one of its parts is set.
type Event struct {
	// Tests is the exit code of the package's tests: 0 when all passed.
	Tests *Tests `json:"tests,omitempty"`
	// Benchmark is the measurement of one benchmark function.
	Benchmark *Benchmark `json:"benchmark,omitempty"`
	// Done is true on the last line.
	Done bool `json:"done,omitempty"`
}

// Tests is how the package's tests ended.
type Tests struct {
	Code int `json:"code"`
}

// A Benchmark is what one benchmark function measured between two runs of it, one of a single operation and one of N+1: what
// a function does once, before its loop or in its first operation, is in both and falls out.
type Benchmark struct {
	Name string `json:"name"`
	// Failed is true when the function called b.Fatal, b.Error or the like; its message is on stdout and nothing below is set.
	Failed bool `json:"failed,omitempty"`
	// Line is the measurement as a line in Go's benchmark format, with unrounded ns/op, B/op and allocs/op over N operations.
	Line string `json:"line,omitempty"`
	// Profiles are cumulative allocation profiles (gzipped profile.proto, every allocation sampled); the sum of each times its
	// Scale is the profile of the N operations.
	Profiles []Profile `json:"profiles,omitempty"`
}

// A Profile is one term of that sum.
type Profile struct {
	Scale float64 `json:"scale"`
	Proto []byte  `json:"proto"`
}

// FileVariable is the environment variable that names the report's file to a natively run binary; the file exists.
const FileVariable = "CHECKALLOC_REPORT"

// HostModule and HostFunction name what a binary for GOOS=wasip1 imports from its host to report: a function of an address
// and a length in bytes, which appends those bytes to the report.
const (
	HostModule   = "checkalloc"
	HostFunction = "write"
)
