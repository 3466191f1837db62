package bookdata

import (
	"io/fs"
	"regexp"
	"strconv"
)

// GCTraceFile is the file of the measured runs of a program under several settings of the garbage collector, relative
// to the book's folder.
const GCTraceFile = "measured/gctrace.json"

// GCTraceCommand is the command that measures them.
const GCTraceCommand = "go run ./tools/bookalloc gctrace"

// GCTrace has what a program's runs print about its collections.
type GCTrace struct {
	GeneratedBy string  `json:"generated_by"`
	Go          string  `json:"go"`
	Platform    string  `json:"platform"`
	Line        string  `json:"line"` // the last line of the run with the default settings
	Runs        []GCRun `json:"runs"` // by limit, and then by GOGC
}

// A GCRun is one run of the program.
type GCRun struct {
	GOGC        int `json:"gogc"`  // in percent
	Limit       int `json:"limit"` // GOMEMLIMIT in MiB, 0 for none
	Collections int `json:"collections"`
	Heap        int `json:"heap"` // the largest heap at the beginning of a collection, in MB
	Live        int `json:"live"` // what the last collection found live, in MB
	// Share is the part of the processors' time that the collector took until the last collection, in percent.
	Share float64 `json:"share"`
}

// Write writes the runs below dir, the book's folder.
func (t *GCTrace) Write(dir string) error {
	t.GeneratedBy = GCTraceCommand
	return write(dir, GCTraceFile, t)
}

// ReadGCTrace reads GCTraceFile from the book's folder.
func ReadGCTrace(book fs.FS) (*GCTrace, error) {
	t := new(GCTrace)
	return t, read(book, GCTraceFile, GCTraceCommand, t)
}

// traced matches a line of GODEBUG=gctrace=1.
var traced = regexp.MustCompile(`^gc \d+ @[0-9.]+s ([0-9.]+)%: .* (\d+)->\d+->(\d+) MB, \d+ MB goal,`)

// Add counts a line that the program printed, and reports whether it is about a collection.
func (r *GCRun) Add(line string) bool {
	found := traced.FindStringSubmatch(line)
	if found == nil {
		return false
	}
	// The pattern has only digits here.
	heap, _ := strconv.Atoi(found[2])
	r.Share, _ = strconv.ParseFloat(found[1], 64)
	r.Live, _ = strconv.Atoi(found[3])
	r.Heap = max(r.Heap, heap)
	r.Collections++
	return true
}
