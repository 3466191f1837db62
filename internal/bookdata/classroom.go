package bookdata

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// ClassroomFile is the file of the figures, relative to the book's folder.
const ClassroomFile = "measured/classroom.json"

// ClassroomCommand is the command that measures them.
const ClassroomCommand = "make load"

// Classrooms maps the name of a load test to its measurements. A test of checks has the name of the engine that runs
// them, "confined" or "wasm". A test of a room is "room" if the runner checks, and "pages" if the participants' pages
// do. A test of workers that grade is "worker1" or "worker2". The book shows these figures; runner/load measures them.
type Classrooms map[string]*Classroom

// A Classroom has the measurements of one load test: waiting times and the runner's memory.
type Classroom struct {
	Go       string `json:"go"`       // release that built and ran the programs: "go1.26.8"
	Platform string `json:"platform"` // "linux/amd64"
	Cores    int    `json:"cores"`

	Clients int     `json:"clients"`                  // number of people in the class
	Presses int     `json:"presses,omitempty"`        // number of times that each of them presses Run or Check
	Within  float64 `json:"within_seconds,omitempty"` // time within which they press, or in which they work in a room
	Took    float64 `json:"took_seconds"`             // from the first press to the last answer

	// In a room: the time between two checks, and between two submissions, of a participant.
	CheckEvery  float64 `json:"check_every_seconds,omitempty"`
	HandInEvery float64 `json:"hand_in_every_seconds,omitempty"`

	Rate    float64 `json:"per_second,omitempty"` // submissions that workers grade in a second
	Speedup float64 `json:"speedup,omitempty"`    // Rate divided by the Rate of one worker

	Kinds []ClassroomKind `json:"kinds,omitempty"`
	// Beside has the figures of a client that sends one request a second while another client sends the requests that
	// Name names. It is empty if that was not measured.
	Beside []ClassroomKind `json:"beside,omitempty"`

	Server int `json:"server_bytes,omitempty"` // peak memory of the runner's process
	All    int `json:"all_bytes,omitempty"`    // the same, with the compilers and linkers that it runs
}

// A ClassroomKind has the figures of requests of one kind. Times are in seconds, from the press to the final answer,
// waiting included.
type ClassroomKind struct {
	// Name is "run", "check", "hostile" or "greedy"; beside one hostile client "hello" or "share"; in a room "check",
	// "disk" (handed in → on disk), "graded" (handed in → graded) or "grid" (on disk → in the instructor's grid).
	Name     string  `json:"name"`
	Requests int     `json:"requests"`
	Busy     int     `json:"busy"` // number of answers that the runner is busy; the request was then sent again
	P50      float64 `json:"p50_seconds"`
	P95      float64 `json:"p95_seconds"`
	Most     float64 `json:"most_seconds"`
	// Last is the time from the first press of the class to the last answer of this kind; 0 for kinds without that.
	Last float64 `json:"last_seconds,omitempty"`
}

// ReadClassrooms reads ClassroomFile from the book's folder.
func ReadClassrooms(book fs.FS) (Classrooms, error) {
	var c Classrooms
	err := read(book, ClassroomFile, ClassroomCommand, &c)
	return c, err
}

// WriteClassroom writes the figures of one engine to a file, and keeps the file's figures of other engines.
func WriteClassroom(name, engine string, f *Classroom) error {
	c := Classrooms{}
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the figures of a class: %w", err)
	}
	c[engine] = f
	if err := WriteJSON(name, c); err != nil {
		return fmt.Errorf("write the figures of a class: %w", err)
	}
	return nil
}

// Figure returns a figure of the class whose checks the engine ran, formatted for a reader. Kind is a kind of requests,
// and name one of its figures, "p95"; with kind "", name is a figure of the whole test.
func (c Classrooms) Figure(engine, kind, name string) (string, error) {
	f := c[engine]
	if f == nil {
		return "", fmt.Errorf("%s has no figures of the engine %q: run %q", ClassroomFile, engine, ClassroomCommand)
	}
	figures := f.figures()
	if kind != "" {
		i := slices.IndexFunc(f.Kinds, func(k ClassroomKind) bool { return k.Name == kind })
		if i < 0 {
			return "", fmt.Errorf("no requests of the kind %q in %s", kind, ClassroomFile)
		}
		figures = f.Kinds[i].figures()
	}
	text, ok := figures[name]
	if !ok {
		return "", fmt.Errorf("no figure %q: the figures are %s", name,
			strings.Join(slices.Sorted(maps.Keys(figures)), ", "))
	}
	return text, nil
}

// figures returns the figures of the whole test by the names that the book has for them.
func (f *Classroom) figures() map[string]string {
	return map[string]string{
		"go": strings.Replace(f.Go, "go", "Go ", 1), "cores": fmt.Sprint(f.Cores), "clients": fmt.Sprint(f.Clients),
		"presses": fmt.Sprint(f.Presses), "within": FormatSeconds(f.Within), "took": FormatSeconds(f.Took),
		"check-every": FormatSeconds(f.CheckEvery), "hand-in-every": FormatSeconds(f.HandInEvery),
		"rate": fmt.Sprintf("%.2f", f.Rate), "speedup": fmt.Sprintf("%.2f", f.Speedup),
		"needed": fmt.Sprint(f.needed()), "server": formatMebibytes(f.Server), "memory": formatMebibytes(f.All),
	}
}

func (k ClassroomKind) figures() map[string]string {
	return map[string]string{
		"requests": fmt.Sprint(k.Requests), "busy": fmt.Sprint(k.Busy),
		"p50": FormatSeconds(k.P50), "p95": FormatSeconds(k.P95), "most": FormatSeconds(k.Most),
	}
}

// Participants of a large course, for needed.
const (
	many      = 10_000.0
	manyEvery = 300.0 // seconds between two submissions of one of them
)

// needed returns how many workers like the measured ones are needed to grade 10,000 participants, if each participant
// hands in every five minutes.
func (f *Classroom) needed() int {
	return int(math.Ceil(many / manyEvery / (f.Rate / float64(f.Cores))))
}

// FormatSeconds formats a time: "45 ms", "0.4 s", "12 s", "3 min 20 s".
func FormatSeconds(s float64) string {
	switch whole := int(s + 0.5); {
	case s > 0 && s < 0.0995:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	case whole < 120:
		return fmt.Sprintf("%d s", whole)
	default:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	}
}

func formatMebibytes(n int) string { return fmt.Sprintf("%d MiB", (n+1<<19)>>20) }
