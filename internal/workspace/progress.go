package workspace

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/robustio"

	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
)

// stateDir is the folder in a workspace for the progress and for backups. Init writes a .gitignore that excludes it.
const stateDir = ".checkalloc"

const (
	// progressSchema names the format of the progress file.
	progressSchema = "checkalloc/progress/2"
	// formerSchema is the same format from before the exercises were renumbered.
	formerSchema = "checkalloc/progress/1"
)

// Progress is what a reader has done so far.
type Progress struct {
	Schema    string            `json:"schema"`
	Exercises map[string]*State `json:"exercises"`
	// Questions are the answers to the book's questions by name, which a page of the book exports. They are kept as they
	// are.
	Questions map[string]json.RawMessage `json:"questions,omitempty"`
}

// A State is a reader's progress in one exercise.
type State struct {
	Passed *time.Time `json:"passed,omitempty"` // when it first passed
	// Spoiled is whether the solution was shown before the pass.
	Spoiled bool `json:"spoiled,omitempty"`
	Hints   int  `json:"hints,omitempty"` // the number of hints that were shown
	// Last are the figures of the last check that measured the benchmarks.
	Last []exercise.Figure `json:"last,omitempty"`
}

// Add adds a verdict on the exercise.
func (s *State) Add(v *verdict.Verdict) {
	if len(v.Benchmarks) > 0 {
		s.Last = Figures(v)
	}
	if v.Pass && s.Passed == nil {
		now := time.Now().UTC().Truncate(time.Second)
		s.Passed = &now
	}
}

// Spoil notes that the solution was shown, unless the exercise has passed.
func (s *State) Spoil() { s.Spoiled = s.Spoiled || s.Passed == nil }

// Standing says how far the reader is: "passed" or "passed, after the solution", "" if the exercise has not passed.
func (s State) Standing() string {
	switch {
	case s.Passed == nil:
		return ""
	case s.Spoiled:
		return "passed, after the solution"
	}
	return "passed"
}

// NextHint counts one more hint of e as shown, unless all are, and returns the count. The number in the state may be
// out of range, because anybody can edit the progress file.
func (s *State) NextHint(e *exercise.Exercise) int {
	s.Hints = min(max(s.Hints, 0)+1, len(e.Hints))
	return s.Hints
}

// Figures returns what a verdict measured of each benchmark of the manifest.
func Figures(v *verdict.Verdict) []exercise.Figure {
	var all []exercise.Figure
	for _, b := range v.Benchmarks {
		if b.Confirms != "" {
			continue
		}
		all = append(all, exercise.Figure{Name: b.Name, AllocsPerOp: b.AllocsPerOp, BytesPerOp: b.BytesPerOp,
			LiveBytesPerOp: b.LiveBytesPerOp})
	}
	return all
}

// The files in stateDir. The lock file is not removed after use, because another process may be waiting for it.
const (
	progressFile = "progress.json"
	lockFile     = "progress.lock"
)

// Progress reads the workspace's progress. A file that cannot be read is left alone, and the error says what to do.
func (w *Workspace) Progress() (*Progress, error) {
	root, err := w.folder(stateDir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return &Progress{Schema: progressSchema}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the progress: %w", err)
	}
	defer root.Close()
	return readProgress(root)
}

// readProgress reads the progress from the folder stateDir.
func readProgress(root *os.Root) (*Progress, error) {
	const file = stateDir + "/" + progressFile
	p := &Progress{Schema: progressSchema}
	var text []byte
	err := retry(func() (err error) {
		text, err = safefile.Read(root, progressFile, file, maxFileSize)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the progress: %w", err)
	}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w; repair it or move it away", file, err)
	}
	if p.Schema == formerSchema {
		p.Schema, p.Exercises, p.Questions = progressSchema, renumbered(p.Exercises), renumbered(p.Questions)
	}
	if p.Schema != progressSchema {
		return nil, fmt.Errorf("%s: schema %q, this checkalloc knows %q: update checkalloc or move the file away", file,
			p.Schema, progressSchema)
	}
	return p, nil
}

// renumbered returns progress from before the exercises were renumbered, by its new names.
func renumbered[T any](byName map[string]T) map[string]T {
	now := map[string]T{}
	for name, value := range byName {
		now[exercise.Renumbered(name)] = value
	}
	return now
}

// Of returns the state of an exercise, which may be changed.
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

// Next returns the first exercise that has not passed, and nil if all have.
func (p *Progress) Next(catalog exercise.Catalog) *exercise.Exercise {
	for _, e := range catalog {
		if p.Of(e.ID).Passed == nil {
			return e
		}
	}
	return nil
}

// After returns the first exercise that has not passed, besides e, which has passed just now; nil if all others have. A
// nil Progress has no pass.
func (p *Progress) After(e *exercise.Exercise, catalog exercise.Catalog) *exercise.Exercise {
	for _, next := range catalog {
		if next.ID != e.ID && (p == nil || p.Of(next.ID).Passed == nil) {
			return next
		}
	}
	return nil
}

// State returns the progress in an exercise.
func (w *Workspace) State(e *exercise.Exercise) (State, error) {
	p, err := w.Progress()
	if err != nil {
		return State{}, err
	}
	return *p.Of(e.ID), nil
}

// Record saves a verdict in the progress, and returns the progress in the exercise before it.
func (w *Workspace) Record(e *exercise.Exercise, v *verdict.Verdict) (before State, err error) {
	err = w.ChangeProgress(func(p *Progress) {
		before = *p.Of(e.ID)
		p.Of(e.ID).Add(v)
	})
	return before, err
}

// Hint counts one more hint as shown, and returns the number of hints that are shown.
func (w *Workspace) Hint(e *exercise.Exercise) (shown int, err error) {
	err = w.ChangeProgress(func(p *Progress) { shown = p.Of(e.ID).NextHint(e) })
	return shown, err
}

// ChangeProgress reads the progress, calls change and saves the result, all under a lock, so that concurrent changes by
// processes and goroutines are not lost. The file is replaced atomically. A file that cannot be read is left alone. If
// the lock is not free within lockTimeout, its holder has probably hung: ChangeProgress returns an error without
// calling change.
func (w *Workspace) ChangeProgress(change func(*Progress)) (err error) {
	unlock, err := w.lockState()
	if err != nil {
		return fmt.Errorf("save the progress: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	root, err := w.folder(stateDir, true)
	if err != nil {
		return fmt.Errorf("save the progress: %w", err)
	}
	defer root.Close()
	p, err := readProgress(root)
	if err != nil {
		return err
	}
	change(p)
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(root, progressFile, append(text, '\n')); err != nil {
		return fmt.Errorf("save the progress: %w", err)
	}
	return nil
}

// lockState takes the lock on the progress and on the reader's code.
func (w *Workspace) lockState() (unlock func() error, err error) {
	root, err := w.folder(stateDir, true)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return w.lock(root, lockTimeout)
}

// lockTimeout is how long a process waits for other processes to save their progress. Each of them needs a few
// milliseconds.
const lockTimeout = 10 * time.Second

// lock takes the advisory lock on the lock file in root, the folder stateDir. The system releases it when the process
// ends for any reason. On a file system without locks, lock does nothing: with a single writer the progress is saved
// all the same.
func (w *Workspace) lock(root *os.Root, timeout time.Duration) (unlock func() error, err error) {
	// Package flock opens the file by its path and follows links, so a link is refused first.
	if err := writeNew(root, lockFile, nil); err != nil {
		return nil, err
	}
	info, err := root.Lstat(lockFile)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, safefile.NotFile(stateDir+"/"+lockFile, info.Mode())
	}
	name := filepath.Join(w.Root, stateDir, lockFile)
	f := flock.New(name, flock.SetPermissions(0o666))
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	switch _, err := f.TryLockContext(ctx, 5*time.Millisecond); {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another checkalloc has locked %s for %v: end it, or move that file away", name,
			timeout)
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		return func() error { return nil }, nil
	case err != nil:
		return nil, err
	}
	return f.Unlock, nil
}

// replace writes a file of root atomically. It is written here because github.com/google/renameio knows no os.Root,
// which keeps a link in a stranger's workspace from leading outside, and exports no function on Windows.
func replace(root *os.Root, name string, text []byte) error {
	temp := "progress-" + rand.Text()
	// Without O_SYNC, the rename may reach the disk before the content.
	if err := create(root, temp, os.O_SYNC, 0o600, text); err != nil {
		return err
	}
	if err := retry(func() error { return root.Rename(temp, name) }); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// retry calls do again, for up to two seconds, while it returns a transient error. On Windows, reading a file fails
// while it is being replaced.
func retry(do func() error) error {
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if err := do(); err == nil || !robustio.IsEphemeralError(err) || time.Now().After(deadline) {
			return err
		}
	}
}
