package bookdata

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// HistoryFile is the file of the history, relative to the book's folder.
const HistoryFile = "measured/history.json"

// HistoryCommand is the command that measures the history.
const HistoryCommand = "make history"

// A History has what the book's listings measure on each release of Go since 1.4. tools/bookalloc measures
// and shows the figures. Releases are named by their minor version, "go1.8".
type History struct {
	// Releases are the newest patch releases that were measured, by minor release: "go1.8" → "go1.8.7".
	Releases map[string]string
	// Listings are the measurements by listing and release.
	Listings map[string]map[string]Measurement
}

// A Measurement has the figures of a listing on one release.
type Measurement struct {
	Go         string      `json:"go"`       // "go1.8.7"
	Platform   string      `json:"platform"` // "linux/amd64"
	Source     string      `json:"source"`   // of the MeasuredPart
	Benchmarks []Benchmark `json:"benchmarks"`
}

// A Benchmark has the figures of one benchmark: allocs/op rounded to three decimals, B/op to one.
type Benchmark struct {
	Name        string  `json:"name"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
}

// Benchmark returns the figures of a benchmark. The name may be "" if there is only one.
func (m Measurement) Benchmark(name string) (Benchmark, error) {
	if name == "" && len(m.Benchmarks) == 1 {
		return m.Benchmarks[0], nil
	}
	var names []string
	for _, b := range m.Benchmarks {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	if name == "" {
		return Benchmark{}, fmt.Errorf("name one of its benchmarks: %s", strings.Join(names, ", "))
	}
	return Benchmark{}, fmt.Errorf("no %s: its benchmarks are %s", name, strings.Join(names, ", "))
}

// Names returns the releases that were measured, oldest first.
func (h *History) Names() []string {
	return slices.SortedFunc(maps.Keys(h.Releases), version.Compare)
}

// Of returns the measurement of a listing on a release.
func (h *History) Of(listing, release string) (Measurement, error) {
	releases, ok := h.Listings[listing]
	if !ok {
		return Measurement{}, fmt.Errorf("%s is not in %s: run %q", listing, HistoryFile, HistoryCommand)
	}
	m, ok := releases[release]
	if !ok {
		return m, fmt.Errorf("%s is not measured on %s: it is on %s", listing, release,
			strings.Join(h.measured(listing), ", "))
	}
	return m, nil
}

// Benchmarks returns the names of a listing's benchmarks, in the order of its files and lines.
func (h *History) Benchmarks(listing string) []string {
	var names []string
	if releases := h.measured(listing); len(releases) > 0 {
		for _, b := range h.Listings[listing][releases[len(releases)-1]].Benchmarks {
			names = append(names, b.Name)
		}
	}
	return names
}

// measured returns the releases on which a listing was measured, oldest first.
func (h *History) measured(listing string) []string {
	return slices.SortedFunc(maps.Keys(h.Listings[listing]), version.Compare)
}

// Before returns the measurement of a listing on the release before, or the zero value if that was not measured.
func (h *History) Before(listing, release string) Measurement {
	releases := h.measured(listing)
	if i := slices.Index(releases, release); i > 0 {
		return h.Listings[listing][releases[i-1]]
	}
	return Measurement{}
}

// Changes returns the releases on which a listing's figures differ from its figures on the previous measured release,
// oldest first.
func (h *History) Changes(listing string) []string {
	var changes []string
	var before []Benchmark
	for i, release := range h.measured(listing) {
		m := h.Listings[listing][release]
		if i > 0 && !slices.Equal(m.Benchmarks, before) {
			changes = append(changes, release)
		}
		before = m.Benchmarks
	}
	return changes
}

// Set stores a measurement.
func (h *History) Set(listing, release string, m Measurement) {
	if h.Listings[listing] == nil {
		h.Listings[listing] = map[string]Measurement{}
	}
	h.Listings[listing][release] = m
	if version.Compare(m.Go, h.Releases[release]) > 0 {
		h.Releases[release] = m.Go
	}
}

// NewHistory returns a history without measurements.
func NewHistory() *History {
	return &History{Releases: map[string]string{}, Listings: map[string]map[string]Measurement{}}
}

// ReadHistory reads HistoryFile from the book's folder. It returns an empty history if the file does not exist.
func ReadHistory(book fs.FS) (*History, error) {
	h := NewHistory()
	text, err := fs.ReadFile(book, HistoryFile)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	var stored storedHistory
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("%s: %w: remove it and run %q", HistoryFile, err, HistoryCommand)
	}
	for listing, all := range stored.Listings {
		for _, same := range all {
			for _, patch := range same.Go {
				h.Set(listing, version.Lang(patch), Measurement{patch, same.Platform, same.Source, same.Benchmarks})
			}
		}
	}
	return h, nil
}

// A storedHistory is the content of HistoryFile.
type storedHistory struct {
	GeneratedBy string                        `json:"generated_by"`
	Listings    map[string][]sameMeasurements `json:"listings"`
}

// sameMeasurements are the measurements of a listing on successive releases that gave the same figures. HistoryFile has
// them once.
type sameMeasurements struct {
	Go         []string    `json:"go"`
	Platform   string      `json:"platform"`
	Source     string      `json:"source"`
	Benchmarks []Benchmark `json:"benchmarks"`
}

// sameFigures returns the measurements of a listing, from the oldest release to the newest. Releases with the same
// measurements share one entry.
func (h *History) sameFigures(listing string) (all []sameMeasurements) {
	for _, release := range h.measured(listing) {
		m := h.Listings[listing][release]
		if last := len(all) - 1; last >= 0 && all[last].Platform == m.Platform && all[last].Source == m.Source &&
			slices.Equal(all[last].Benchmarks, m.Benchmarks) {
			all[last].Go = append(all[last].Go, m.Go)
			continue
		}
		all = append(all, sameMeasurements{[]string{m.Go}, m.Platform, m.Source, m.Benchmarks})
	}
	return all
}

// Write writes HistoryFile below dir, the book's folder.
func (h *History) Write(dir string) error {
	stored := storedHistory{HistoryCommand, map[string][]sameMeasurements{}}
	for listing := range h.Listings {
		stored.Listings[listing] = h.sameFigures(listing)
	}
	return writeLines(filepath.Join(dir, filepath.FromSlash(HistoryFile)), stored, historyLength)
}
