package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"onthestack/internal/exercise"
)

// stateDir is the folder in a workspace that holds what checkalloc remembers; version control ignores it.
const stateDir = ".checkalloc"

// progressSchema names the form of the progress file.
const progressSchema = "checkalloc/progress/1"

// Progress is what a reader has done so far.
type Progress struct {
	Schema    string            `json:"schema"`
	Exercises map[string]*State `json:"exercises"`

	file string
}

// A State is a reader's progress in one exercise.
type State struct {
	Passed *time.Time `json:"passed,omitempty"` // when it passed first
	Hints  int        `json:"hints,omitempty"`  // how many hints were shown
	// Last are the figures of the last check that measured.
	Last []exercise.Figure `json:"last,omitempty"`
}

// Progress reads the workspace's progress. A file that cannot be read is left alone, and the error says what to do.
func (w *Workspace) Progress() (*Progress, error) {
	p := &Progress{Schema: progressSchema, file: filepath.Join(w.Root, stateDir, "progress.json")}
	text, err := os.ReadFile(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the progress: %w", err)
	}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w; mend it or move it away", p.file, err)
	}
	if p.Schema != progressSchema {
		return nil, fmt.Errorf("%s: schema %q, this checkalloc knows %q: update checkalloc or move the file away", p.file, p.Schema, progressSchema)
	}
	return p, nil
}

// Of returns the state of an exercise, to be read and changed.
func (p *Progress) Of(id string) *State {
	s := p.Exercises[id]
	if s == nil {
		s = &State{}
		if p.Exercises == nil {
			p.Exercises = map[string]*State{}
		}
		p.Exercises[id] = s
	}
	return s
}

// Save writes the progress, whole or not at all.
func (p *Progress) Save() error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(p.file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("save the progress: %w", err)
	}
	f, err := os.CreateTemp(dir, "progress-*")
	if err != nil {
		return fmt.Errorf("save the progress: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), p.file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("save the progress: %w", err), os.Remove(f.Name()))
	}
	return nil
}
