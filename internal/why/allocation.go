package why

import (
	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// An Allocation is what one source line allocated per operation, with the compiler's reasons for that line.
type Allocation struct {
	Benchmark   string  `json:"benchmark"`
	Package     string  `json:"package,omitempty"` // the import path, "" for the package itself
	File        string  `json:"file"`
	Line        int     `json:"line"`
	Func        string  `json:"func"`
	Code        string  `json:"code"` // the line's text, trimmed
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	// Shared is true if the line's count of tiny objects is an estimate: the profile does not distinguish them from
	// tiny objects of other lines in the same benchmark. The benchmark's sum is exact; it is distributed by the
	// number of blocks that each line opened.
	Shared bool `json:"shared,omitempty"`
	// Kind is the kind of the first reason. It is not part of the JSON, so it is "" in a verdict that was read from
	// JSON.
	Kind Kind `json:"-"`
	// Why is the reason in words: clauses joined by "; ".
	Why string `json:"why"`
	// Callees are the functions called between the line and the allocation, outermost first; empty if the line itself
	// allocates.
	Callees []string `json:"callees,omitempty"`
	// Calls are what the line allocates by each path of calls. They are not part of the JSON.
	Calls []Call `json:"-"`
	// Reasons are the compiler's, for heap values on this line; empty if it reports none.
	Reasons []Reason `json:"reasons"`
	// Causes are the runtime functions that were called to allocate, most objects first. They are not part of the JSON.
	Causes []profile.Cause `json:"-"`
}

// A Call is what a line allocates by one path of calls, as in Allocation.Callees.
type Call struct {
	Callees                 []string
	AllocsPerOp, BytesPerOp float64
	Estimated               bool // AllocsPerOp is an estimate, because tiny objects shared blocks
	// Kind and Why are the reason if the line itself, or code that is inlined there, allocates.
	Kind Kind
	Why  string
}

// SharedNote explains the word "(shared)" after the figures of an Allocation with Shared set.
const SharedNote = "shared: objects under 16 bytes share blocks, so the counts of these lines are estimates; the " +
	"benchmark's sum is exact"

// A Reason is why the compiler puts a value on the heap, and how the value gets there.
type Reason struct {
	Line    int           `json:"line"`
	Col     int           `json:"col"`
	Message string        `json:"message"` // the compiler's
	Kind    Kind          `json:"-"`       // as in Allocation
	Why     string        `json:"why"`     // an explanation for the reader
	Flow    []escape.Step `json:"flow"`    // the steps worth reading
}
