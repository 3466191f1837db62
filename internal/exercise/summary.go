package exercise

// A Summary is the part of an exercise that people may see before they have solved it.
type Summary struct {
	Exercise   string             `json:"exercise"` // its ID
	Title      string             `json:"title"`
	Teaches    string             `json:"teaches"`
	Techniques []string           `json:"techniques"`      // IDs of Techniques
	Level      string             `json:"level,omitempty"` // ID of one of Levels
	Chapter    string             `json:"chapter"`
	Article    string             `json:"article"`
	Edit       []string           `json:"edit"`
	Imports    []string           `json:"imports"`
	Benchmarks []BenchmarkSummary `json:"benchmarks"`
	Hints      int                `json:"hints"` // how many there are
	Figures    *Figures           `json:"figures"`
}

// A BenchmarkSummary is a benchmark with its targets.
type BenchmarkSummary struct {
	Name         string   `json:"name"`
	TargetAllocs float64  `json:"target_allocs"`          // allocs/op, at most
	TargetBytes  *float64 `json:"target_bytes,omitempty"` // B/op, at most; nil for no target
	// TargetLiveBytes are the bytes that an operation may leave in use, at most; nil for no target.
	TargetLiveBytes *float64 `json:"target_live_bytes,omitempty"`
}

// Summary returns the exercise's summary.
func (e *Exercise) Summary() Summary {
	s := Summary{
		Exercise: e.ID, Title: e.Title, Teaches: e.Teaches, Techniques: e.Techniques, Level: e.Level,
		Chapter: e.Chapter, Article: e.Article, Edit: e.Edit, Imports: e.Imports, Hints: len(e.Hints),
		Figures: e.Figures,
	}
	for _, b := range e.Benchmarks {
		s.Benchmarks = append(s.Benchmarks, BenchmarkSummary{b.Name, b.Allocs, b.Bytes, b.Live})
	}
	return s
}
