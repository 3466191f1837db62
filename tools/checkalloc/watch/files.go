package watch

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"onthestack/internal/safefile"
)

// Times of the watcher. Editors save in several steps: truncate and write, write another file and rename it, remove and
// create.
const (
	statTime   = 50 * time.Millisecond // the interval of looking at the sizes and times of the files
	readTime   = time.Second           // the interval of comparing the contents, which may change without these
	stableTime = 15 * time.Millisecond // contents that stay the same for this time count as saved
	// the same if a file is missing or empty, because the next step of saving may fill it
	emptyStableTime = 300 * time.Millisecond
)

// maxRead is the size in bytes up to which a file is compared, which is more than a check reads. A larger file counts
// as missing.
const maxRead = 2 << 20

// A fileWatcher waits for changes to the contents of files in one folder. Writing the same text again is no change, and
// neither is another file in the folder, unless all Go files are watched.
//
// It polls. Events of the file system would come some milliseconds sooner, but they are incomplete or missing on some
// file systems, such as those on a network, and end when the folder is replaced: it would have to poll beside them.
type fileWatcher struct {
	dir   string
	names []string
	// goFiles says that the folder is of a module of the reader's own: all Go files are watched, besides the names, and
	// a symbolic link may lead anywhere.
	goFiles bool
	// seen is what the files had when the last change was reported.
	seen contents
}

// contents are checksums by the names of files: "" for an empty file and, because they are not in it, for missing ones.
type contents map[string]string

// Remember reads the named files in the folder dir, an absolute path, and all Go files there. The function that it
// returns waits until their contents differ, and returns false if ctx ends before.
func Remember(dir string, names []string) (changed func(ctx context.Context) bool) {
	f := &fileWatcher{dir: dir, names: names, goFiles: true}
	f.seen = f.read()
	return f.wait
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
			found[name] = ""
			if len(text) > 0 {
				sum := sha256.Sum256(text)
				found[name] = string(sum[:])
			}
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
		if c[name] == "" {
			return emptyStableTime
		}
	}
	return stableTime
}

// wait waits until the contents differ from what was seen and are stable. It returns false if ctx ends before.
func (f *fileWatcher) wait(ctx context.Context) bool {
	latest := f.seen // what was read last, which is not yet stable if it differs from seen
	var changed, read time.Time
	var known []fs.FileInfo
	for wait := statTime; ; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
		now, infos := time.Now(), f.stat(latest)
		if !slices.EqualFunc(infos, known, sameInfo) || now.Sub(read) >= readTime || !maps.Equal(latest, f.seen) {
			known, read = infos, now
			switch is := f.read(); {
			case !maps.Equal(is, latest):
				latest, changed = is, now
			case !maps.Equal(latest, f.seen) && now.Sub(changed) >= f.requiredStableTime(latest):
				f.seen = latest
				return true
			}
		}
		if wait = stableTime; maps.Equal(latest, f.seen) {
			wait = statTime
		}
	}
}

// stat describes the folder, in which files may be created and removed, and the files; nil stands for a missing one.
func (f *fileWatcher) stat(c contents) (infos []fs.FileInfo) {
	names := slices.Sorted(slices.Values(slices.AppendSeq(append([]string{"."}, f.names...), maps.Keys(c))))
	for _, name := range slices.Compact(names) {
		info, _ := os.Stat(filepath.Join(f.dir, name)) // why it cannot be read, the check reports
		infos = append(infos, info)
	}
	return infos
}

// sameInfo reports whether a file seems unchanged.
func sameInfo(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
