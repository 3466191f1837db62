package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"onthestack/internal/rooted"
)

// How changes are waited for. Editors save in several steps: truncate and write, write beside and rename, remove and
// create.
const (
	gather   = 5 * time.Millisecond   // events within it are one
	quiet    = 15 * time.Millisecond  // what stays the same for so long is taken for saved
	patience = 300 * time.Millisecond // the same, where a file is missing or empty: the next step of saving may bring it

	pollBeside = time.Second            // how often files are looked at although events tell of changes
	pollAlone  = 250 * time.Millisecond // the same, where none do
)

// maxRead bounds a file that is compared, in bytes: more than a check reads. A larger one counts as missing.
const maxRead = 2 << 20

// files are files in one folder that are waited for to change. What counts is their contents: who writes the same text
// again, or something else into the folder, changes nothing. Events of the file system only say when to look; looking
// now and then as well finds what it does not announce, as network file systems do not.
type files struct {
	dir   string
	names []string
	// changed is called after a change, when the contents have settled.
	changed func()
	// noted is called with what the reader should know about the watching.
	noted func(text string)
	open  func() (*fsnotify.Watcher, error) // nil for fsnotify.NewWatcher
}

// A sum stands for the contents of a file.
type sum struct {
	size int64
	hash [sha256.Size]byte
}

// contents are files by name, without those that are missing.
type contents map[string]sum

func (f *files) look() contents {
	found := contents{}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return found
	}
	defer root.Close()
	for _, name := range f.names {
		// A check says why it does not read a file.
		if text, err := rooted.Read(root, name, name, maxRead); err == nil {
			found[name] = sum{int64(len(text)), sha256.Sum256(text)}
		}
	}
	return found
}

// settle is how long these contents have to stay the same to be taken for saved.
func (f *files) settle(c contents) time.Duration {
	for _, name := range f.names {
		if c[name].size == 0 {
			return patience
		}
	}
	return quiet
}

// watch waits for changes of what was seen until ctx ends.
func (f *files) watch(ctx context.Context, seen contents) {
	poll := time.NewTicker(pollBeside)
	defer poll.Stop()
	announcer, err := f.announcer()
	defer func() { announcer.close() }()
	alone := func(why error) {
		announcer.close()
		announcer = nil
		poll.Reset(pollAlone)
		f.noted(fmt.Sprintf("Looking for changes every %v: %v", pollAlone, why))
	}
	if err != nil {
		alone(err)
	}

	soon, settled := stopped(), stopped()
	defer soon.Stop()
	defer settled.Stop()
	var candidate contents // what was found last, until it has settled; nil for none
	announced, misses := false, 0
	look := func() {
		now := f.look()
		if before := candidate; before == nil && !maps.Equal(now, seen) || before != nil && !maps.Equal(now, before) {
			candidate = now
			settled.Reset(f.settle(now))
		}
	}
	gathering := false
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-announcer.events():
			if !ok {
				announcer = nil
				continue
			}
			if filepath.Clean(event.Name) == f.dir {
				// Another folder of that name has no watch yet.
				if err := announcer.renew(f.places()); err != nil {
					alone(err)
				}
			}
			announced = true
			if !gathering {
				gathering = true
				soon.Reset(gather)
			}
		case err := <-announcer.errors():
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // too many events to name each: there is something to see
				alone(err)
			}
			look()
		case <-soon.C:
			gathering = false
			look()
		case <-poll.C:
			look()
		case <-settled.C:
			now := f.look()
			if !maps.Equal(now, candidate) {
				candidate = now
				settled.Reset(f.settle(now))
				continue
			}
			candidate = nil
			if maps.Equal(now, seen) {
				continue // changed, and changed back
			}
			seen = now
			f.changed()
			if announcer == nil {
				continue
			}
			if misses++; announced {
				misses = 0
			}
			announced = false
			if misses < 2 {
				// Renewed after each change: another folder may be in place of this one by now.
				err = announcer.renew(f.places())
			} else {
				err = errors.New("the file system does not announce changes")
			}
			if err != nil {
				alone(err)
			}
		}
	}
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// places are the folders in which changes of the files show: their own, the one above, in which theirs may be replaced,
// and the same above what a link leads to. A link in place of a file leads to another file of the folder, or is not
// followed.
func (f *files) places() []string {
	places := []string{f.dir, filepath.Dir(f.dir)}
	if own, err := filepath.EvalSymlinks(f.dir); err == nil && own != f.dir {
		places = append(places, filepath.Dir(own))
	}
	return places
}

// An announcer tells of events in folders. A nil one tells of none.
type announcer struct{ w *fsnotify.Watcher }

// announcer returns one for the places of f. An error says why there is none.
func (f *files) announcer() (*announcer, error) {
	open := f.open
	if open == nil {
		open = fsnotify.NewWatcher
	}
	w, err := open()
	if err != nil {
		return nil, fmt.Errorf("the system does not tell of them: %w", err)
	}
	a := &announcer{w}
	if err := a.renew(f.places()); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// renew watches these places and no other. One that is missing is left out: the one above it tells when it is there.
func (a *announcer) renew(places []string) error {
	if a == nil {
		return nil
	}
	for _, place := range a.w.WatchList() {
		a.w.Remove(place) // it fails where the folder is gone, and the watch with it
	}
	for _, place := range places {
		if err := a.w.Add(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the system does not tell of them: %w", err)
		}
	}
	return nil
}

func (a *announcer) events() <-chan fsnotify.Event {
	if a == nil {
		return nil
	}
	return a.w.Events
}

func (a *announcer) errors() <-chan error {
	if a == nil {
		return nil
	}
	return a.w.Errors
}

func (a *announcer) close() {
	if a != nil {
		a.w.Close() // its only error: closed already
	}
}
