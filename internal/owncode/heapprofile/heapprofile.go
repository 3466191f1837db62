// Package heapprofile joins the heap profile of a running program with the compiler's reasons: it shows which lines of a
// module allocate in production, how much and why.
//
// [Open] and [Read] read a profile, with limits (read.go, scan.go, text.go). [OpenBinary] reads the program that was
// profiled, which has what the profile leaves out: from which sources it was built and how (binary.go), and which
// function of the runtime was called for an object. For that, image.go reads the file, buildinfo.go how it was built,
// functions.go its table of functions, and locate.go finds the addresses of the profile in them. [Explain] does the rest:
//
//  1. entries.go takes the figures out of the samples, as pprof scales them, and says how sure they are.
//  2. frames.go and packages.go find the packages and files of this checkout that the frames of the profile are in, and
//     initializers.go the files of frames that initialize package-level variables.
//  3. explain.go charges each sample to the innermost line of the module, and sums the samples by line. The figures are
//     the samples' own values: nothing is distributed, so that the total equals the total of "go tool pprof -top".
//  4. changed.go finds the line in the sources as they are here, if these are not the sources that were built.
//  5. benchmarks.go names a benchmark that may run a line, by the calls in test files.
//  6. The packages that matter are compiled with the compiler's escape report, and package why explains the lines by the
//     stacks that stacks.go gives it.
//  7. collections.go derives from the live heap how often the collector runs.
//  8. finish.go sorts the lines, divides figures by their unit, and says what the figures rest on.
//  9. tree.go sums the samples once more, by the calls that lead to the lines.
//
// [Profile.ExplainAsBuilt] finds the sources and the release of Go for that (built.go).
package heapprofile

import (
	"cmp"
	"path"
	"time"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/why"
)

// Schema names the format of a Report as JSON.
const Schema = "checkalloc/profile/1"

// A Report says which lines of a module allocate in a profile. Figures are per unit if there is one, else totals.
type Report struct {
	Schema string `json:"schema"`
	Module string `json:"module"` // the path; several are joined by ", "
	// Go is the release that compiled the packages for this report.
	Go     string `json:"go"`
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	// Revision is the commit of the sources, "" if the working tree was read.
	Revision string    `json:"revision,omitempty"`
	Taken    time.Time `json:"taken,omitzero"`
	// Measure is "allocated" or "in use".
	Measure string `json:"measure"`
	Per     *Per   `json:"per,omitempty"`
	// Rate is how many bytes were allocated from sample to sample on average; 1 if all figures are exact, 0 if it is not
	// known.
	Rate    int64   `json:"rate"`
	Objects float64 `json:"objects"` // of the whole profile
	Bytes   float64 `json:"bytes"`
	// ModuleObjects and ModuleBytes are what the lines of the module allocate.
	ModuleObjects float64 `json:"module_objects"`
	ModuleBytes   float64 `json:"module_bytes"`
	// Collections is nil if the profile does not tell, and if what is in use is shown.
	Collections *Collections `json:"collections,omitempty"`
	// Lines are all lines of the module in the profile, most bytes first.
	Lines []Line `json:"lines"`
	// Outside are the packages that allocate without a line of the module on the stack, most bytes first.
	Outside []Outside `json:"outside"`
	// Notes are what the reader has to know about the figures and the reasons, in whole sentences.
	Notes []string `json:"notes"`
	// Tree are the calls that lead to the lines, nil unless Options ask for it. It is not part of the JSON.
	Tree *Node `json:"-"`

	texts   map[string][]byte // of files, by their names in lines
	folders map[string]string // of packages, by their import paths
	shown   map[string]string // the same folders as in names of files
	main    map[string]bool   // the packages of the main modules
	names   why.PackageNames
}

// Per is a unit for figures, such as {"requests", 60000}.
type Per struct {
	Unit string  `json:"unit"`
	N    float64 `json:"n"`
}

// A Line is a source line of the module that allocates, itself or in functions that it calls outside the module.
type Line struct {
	Package string `json:"package"`
	// File is relative to the folder of the module or, if the report is of several, to the folder that has all. It has
	// slashes.
	File    string  `json:"file"`
	Line    int     `json:"line"` // in the sources that were read, or in the program's if the line has Changed
	Func    string  `json:"func"` // "(*Server).find", "find.func1"
	Code    string  `json:"code"` // the line's text, trimmed; "" if it has Changed
	Objects float64 `json:"objects"`
	Bytes   float64 `json:"bytes"`
	// ObjectsMargin and BytesMargin are how far the figures may be from the truth, in 19 of 20 cases.
	ObjectsMargin float64 `json:"objects_margin"`
	BytesMargin   float64 `json:"bytes_margin"`
	Samples       int64   `json:"samples"` // that the figures are scaled from
	// Sampled is how sure the totals are, for arithmetic with several lines.
	Sampled Estimate `json:"-"`
	// Changed says why the line is not explained, if the sources differ from what the program was built from.
	Changed string   `json:"changed,omitempty"`
	Kind    why.Kind `json:"-"`
	Why     string   `json:"why"` // "" if the line is not explained
	// Callees are the functions called between the line and most of its objects, outermost first.
	Callees []string     `json:"callees,omitempty"`
	Reasons []why.Reason `json:"reasons"`
	// Page is the page of the book about the reason, "everyday-go/preallocate"; "" for none.
	Page string `json:"page,omitempty"`
	// Benchmark is a benchmark of the package that may run the line, by its name; "" for none.
	Benchmark string `json:"benchmark,omitempty"`

	path  string            // of the file in the working tree
	texts map[string][]byte // of the package, by base name
}

// Path returns the full name of the line's file in the working tree.
func (l *Line) Path() string { return l.path }

// Text returns the text of a file of the line's package, by its base name, as it was read: the working tree may have
// another one. It is nil if the file was not read, or if the line is not in it any more.
func (l *Line) Text(base string) []byte { return l.texts[base] }

// FewSamples is the number of samples below which the figures of a line are hardly more than a guess.
const FewSamples = 10

// Few reports whether the line has too few samples for its figures to be of use, unless the figures are exact.
func (r *Report) Few(l Line) bool { return r.Rate != 1 && l.Samples < FewSamples }

// Outside is what a package allocates without a line of the module on the stack. The package is "runtime" for the
// runtime's own objects.
type Outside struct {
	Package string   `json:"package"`
	Objects float64  `json:"objects"`
	Bytes   float64  `json:"bytes"`
	Sampled Estimate `json:"-"` // as in a Line
}

// Source returns the text of a file by its name in a Line, or nil.
func (r *Report) Source(file string) []byte { return r.texts[file] }

// FileOf returns the name that a Line has for a file of a package, which is given by its base name.
func (r *Report) FileOf(importPath, base string) string {
	return path.Join(cmp.Or(r.shown[importPath], importPath), base)
}

// Folder returns the folder of the package of a line in the working tree.
func (r *Report) Folder(importPath string) string { return r.folders[importPath] }

// InModule reports whether the package of a line is of a module that is being worked on, and not of a dependency.
func (r *Report) InModule(importPath string) bool { return r.main[importPath] }

// Short returns the name of a function with the name of its package in place of the import path.
func (r *Report) Short(function string) string { return r.names.Short(function) }

// Options say what Explain shows.
type Options struct {
	Config   userpkg.Config // how packages are found and compiled
	Patterns []string       // packages whose lines are shown; all of the module if none is given
	InUse    bool           // what is in use, rather than what was allocated
	Deps     bool           // lines of dependencies and of the standard library too
	Tree     bool           // the tree of calls too
	Labels   []Label
	Per      *Per
	Base     *Profile // what is subtracted, nil for nothing
	Binary   *Binary  // nil if it is not known
	Revision string   // the commit whose sources Config.Dir has, "" for a working tree
	// Name is how messages on the progress name the profile, "the profile" if it is "".
	Name string
	// BinaryFlag is the flag by which the reader names the program, "--binary" if it is "".
	BinaryFlag string
}
