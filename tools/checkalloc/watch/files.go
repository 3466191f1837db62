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
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"onthestack/internal/safefile"
)

// Times of the watcher. Editors save in several steps: truncate and write, write another file and rename it, remove and
// create.
const (
	batchTime  = 5 * time.Millisecond  // events within this time are handled together
	stableTime = 15 * time.Millisecond // contents that stay the same for this time count as saved
	// the same if a file is missing or empty, because the next step of saving may fill it
	emptyStableTime = 300 * time.Millisecond

	pollWithEvents    = time.Second            // the interval of polling beside events, which may be incomplete
	pollWithoutEvents = 250 * time.Millisecond // the interval of polling without events
)

// maxRead is the size in bytes up to which a file is compared, which is more than a check reads. A larger file counts
// as missing.
const maxRead = 2 << 20

// A fileWatcher waits for changes to the contents of files in one folder. Writing the same text again is no change, and
// neither is another file in the folder, unless all Go files are watched. Events of the file system only say when to
// compare. The files are polled as well, because some file systems, such as those on a network, send no events.
type fileWatcher struct {
	dir   string
	names []string
	// goFiles says that the folder is of a module of the reader's own: all Go files are watched, besides the names, and
	// a symbolic link may lead anywhere.
	goFiles bool
	// changed is called after a change, when the contents are stable.
	changed func()
	// noted is called with a notice about the watching for the reader.
	noted func(text string)
	open  func() (*fsnotify.Watcher, error) // nil for fsnotify.NewWatcher
}

// A checksum identifies the contents of a file.
type checksum struct {
	size int64
	hash [sha256.Size]byte
}

// contents are checksums by the names of files, without missing files.
type contents map[string]checksum

// Files are files in one folder, with the contents that they had when Remember was called.
type Files struct {
	watcher fileWatcher
	seen    contents
}

// Remember reads the named files in the folder dir, an absolute path, and all Go files there.
func Remember(dir string, names []string) *Files {
	f := &Files{watcher: fileWatcher{dir: dir, names: names, goFiles: true}}
	f.seen = f.watcher.read()
	return f
}

// Changed waits until the contents of the files differ from those remembered, and returns false if ctx ends before. It
// calls noted with notices about the watching for the reader.
func (f *Files) Changed(ctx context.Context, noted func(text string)) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := false
	f.watcher.noted, f.watcher.changed = noted, func() {
		changed = true
		cancel()
	}
	f.watcher.watch(ctx, f.seen)
	return changed
}

func (f *fileWatcher) read() contents {
	found := contents{}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return found
	}
	defer root.Close()
	names := f.names
	if f.goFiles {
		names = slices.Concat(names, goFiles(root))
	}
	for _, name := range names {
		// A file that cannot be read counts as missing; the check reports why.
		if text, err := f.readFile(root, name); err == nil {
			found[name] = checksum{int64(len(text)), sha256.Sum256(text)}
		}
	}
	return found
}

func (f *fileWatcher) readFile(root *os.Root, name string) ([]byte, error) {
	if f.goFiles {
		return safefile.ReadLinked(filepath.Join(f.dir, name), name, maxRead)
	}
	return safefile.Read(root, name, name, maxRead)
}

// goFiles returns the names of the files in a folder that the go command may read.
func goFiles(root *os.Root) (names []string) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".go" && name[0] != '.' && name[0] != '_' {
			names = append(names, name)
		}
	}
	return names
}

// requiredStableTime returns how long these contents have to stay the same to count as saved.
func (f *fileWatcher) requiredStableTime(c contents) time.Duration {
	for _, name := range slices.AppendSeq(slices.Clone(f.names), maps.Keys(c)) {
		if c[name].size == 0 {
			return emptyStableTime
		}
	}
	return stableTime
}

// watch waits for changes of what was seen until ctx ends.
func (f *fileWatcher) watch(ctx context.Context, seen contents) {
	poll := time.NewTicker(pollWithEvents)
	defer poll.Stop()
	notifier, err := f.newNotifier()
	defer func() { notifier.close() }()
	pollOnly := func(why error) {
		notifier.close()
		notifier = nil
		poll.Reset(pollWithoutEvents)
		f.noted(fmt.Sprintf("Checking for changes every %v: %v", pollWithoutEvents, why))
	}
	if err != nil {
		pollOnly(err)
	}

	batch, stable := stopped(), stopped()
	defer batch.Stop()
	defer stable.Stop()
	latest := seen // what was read last, which is not yet stable if it differs from seen
	sawEvent, gathering, missed := false, false, 0
	look := func() (changing bool) {
		now := f.read()
		if changing = !maps.Equal(now, latest); changing {
			latest = now
			stable.Reset(f.requiredStableTime(now))
		}
		return changing
	}
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-notifier.events():
			if !ok {
				notifier = nil
				continue
			}
			if filepath.Clean(event.Name) == f.dir {
				// The folder was replaced by another, which has no watch yet.
				if err := notifier.watchOnly(f.folders()); err != nil {
					pollOnly(err)
				}
			}
			sawEvent = true
			if !gathering {
				gathering = true
				batch.Reset(batchTime)
			}
		case err := <-notifier.errors():
			// ErrEventOverflow means that events were lost, so the files may have changed.
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				pollOnly(err)
			}
			look()
		case <-batch.C:
			gathering = false
			look()
		case <-poll.C:
			look()
		case <-stable.C:
			if look() || maps.Equal(latest, seen) { // changed, and changed back
				continue
			}
			seen = latest
			f.changed()
			if notifier == nil {
				continue
			}
			if missed++; sawEvent {
				sawEvent, missed = false, 0
			}
			if missed == 2 {
				pollOnly(errors.New("the file system sends no events"))
			} else if err := notifier.watchOnly(f.folders()); err != nil { // the folder may have been replaced
				pollOnly(err)
			}
		}
	}
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// folders returns the folders to watch: the folder of the files, its parent, in which it may be replaced, and the
// parent of the folder that a symbolic link leads to. A link in place of a file leads to another file of the folder, or
// is not followed.
func (f *fileWatcher) folders() []string {
	folders := []string{f.dir, filepath.Dir(f.dir)}
	if own, err := filepath.EvalSymlinks(f.dir); err == nil && own != f.dir {
		folders = append(folders, filepath.Dir(own))
	}
	return folders
}

// A notifier sends events of folders. A nil notifier sends none.
type notifier struct{ w *fsnotify.Watcher }

// newNotifier returns a notifier for the folders of f. Its error says why the system sends no events.
func (f *fileWatcher) newNotifier() (*notifier, error) {
	open := f.open
	if open == nil {
		open = fsnotify.NewWatcher
	}
	w, err := open()
	if err != nil {
		return nil, fmt.Errorf("the system sends no file events: %w", err)
	}
	n := &notifier{w}
	if err := n.watchOnly(f.folders()); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// watchOnly watches these folders and no other. A missing folder is left out; its parent sends an event when it is
// made.
func (n *notifier) watchOnly(folders []string) error {
	if n == nil {
		return nil
	}
	for _, folder := range n.w.WatchList() {
		n.w.Remove(folder) // an error means that the folder is gone, and the watch with it
	}
	for _, folder := range folders {
		if err := n.w.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the system sends no file events: %w", err)
		}
	}
	return nil
}

func (n *notifier) events() <-chan fsnotify.Event {
	if n == nil {
		return nil
	}
	return n.w.Events
}

func (n *notifier) errors() <-chan error {
	if n == nil {
		return nil
	}
	return n.w.Errors
}

func (n *notifier) close() {
	if n != nil {
		n.w.Close() // its only error: it was closed already
	}
}
