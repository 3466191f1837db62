// Package classroom holds what a class measures that works against the runner: how long its people wait, and how much memory the
// runner takes.
package classroom

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// File is the figures' file in the book's folder.
const File = "measured/classroom.json"

// Command measures them again.
const Command = "make load"

// Figures are what one load measured.
type Figures struct {
	Go       string `json:"go"`       // that built and ran the programs: "go1.26.8"
	Platform string `json:"platform"` // "linux/amd64"
	Cores    int    `json:"cores"`

	Clients int     `json:"clients"`        // people in the class
	Presses int     `json:"presses"`        // times that each presses Run or Check
	Within  float64 `json:"within_seconds"` // time in which they do
	Took    float64 `json:"took_seconds"`   // from the first press to the last answer

	Kinds []Kind `json:"kinds"`
	// Beside is how one client's requests fared, one each second, beside another client that sends what Name says; empty where
	// that was not measured.
	Beside []Kind `json:"beside,omitempty"`

	Server int `json:"server_bytes"` // memory of the runner's process at most
	All    int `json:"all_bytes"`    // the same with the compilers and linkers that it runs
}

// A Kind is how requests of one kind fared. Times are in seconds, from the press to the answer that counts, with all waiting.
type Kind struct {
	Name     string  `json:"name"` // "run", "check", "hostile", "greedy"; beside one hostile client "hello", "share"
	Requests int     `json:"requests"`
	Busy     int     `json:"busy"` // answers that the runner is busy, after which the request was sent again
	P50      float64 `json:"p50_seconds"`
	P95      float64 `json:"p95_seconds"`
	Most     float64 `json:"most_seconds"`
}

// Read reads the figures from the book's folder.
func Read(book fs.FS) (*Figures, error) {
	text, err := fs.ReadFile(book, File)
	if err != nil {
		return nil, fmt.Errorf("read the figures of a class: %w: run %q", err, Command)
	}
	f := new(Figures)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("read %s: %w: run %q", File, err, Command)
	}
	return f, nil
}

// Write writes the figures to a file.
func (f *Figures) Write(name string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("write the figures of a class: %w", err)
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// Figure returns one figure as a person reads it: "p95" of the kind "run", or with no kind one of the whole.
func (f *Figures) Figure(kind, name string) (string, error) {
	if kind == "" {
		switch name {
		case "go":
			return strings.Replace(f.Go, "go", "Go ", 1), nil
		case "cores":
			return fmt.Sprint(f.Cores), nil
		case "clients":
			return fmt.Sprint(f.Clients), nil
		case "presses":
			return fmt.Sprint(f.Presses), nil
		case "within":
			return Seconds(f.Within), nil
		case "took":
			return Seconds(f.Took), nil
		case "server":
			return mebibytes(f.Server), nil
		case "memory":
			return mebibytes(f.All), nil
		}
		return "", fmt.Errorf("no figure %q: there are go, cores, clients, presses, within, took, server and memory", name)
	}
	i := slices.IndexFunc(f.Kinds, func(k Kind) bool { return k.Name == kind })
	if i < 0 {
		return "", fmt.Errorf("no requests of the kind %q in %s", kind, File)
	}
	k := f.Kinds[i]
	switch name {
	case "requests":
		return fmt.Sprint(k.Requests), nil
	case "busy":
		return fmt.Sprint(k.Busy), nil
	case "p50":
		return Seconds(k.P50), nil
	case "p95":
		return Seconds(k.P95), nil
	case "most":
		return Seconds(k.Most), nil
	}
	return "", fmt.Errorf("no figure %q: there are requests, busy, p50, p95 and most", name)
}

// Seconds writes a time as a person reads it: "0.4 s", "12 s", "3 min 20 s".
func Seconds(s float64) string {
	switch whole := int(s + 0.5); {
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	case whole < 120:
		return fmt.Sprintf("%d s", whole)
	default:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	}
}

func mebibytes(n int) string { return fmt.Sprintf("%d MiB", (n+1<<19)>>20) }
