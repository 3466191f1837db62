package sandbox

import (
	"io/fs"
	"slices"
	"strings"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"

	"onthestack/internal/execution"
)

// The limits of a program's disk. Those on names and paths are the same as on Linux.
const (
	maxDisk   = execution.MaxDisk // bytes in files
	maxNodes  = 4096              // files and folders
	maxOpen   = 256               // files and folders open at the same time
	maxName   = 255               // bytes of one name
	maxPath   = 4096              // bytes of a path
	maxDevice = 1 << 20           // bytes in one read of a device
)

// A disk is the file system of one run of a program. It is in memory, it begins with a few files that a Unix system
// has, and it is discarded after the run. Nothing in it refers to a file of the host.
//
// The files that are there from the beginning can be removed but not written. Links are not supported (ENOSYS), and
// WASI has no permissions. A program has one thread, so a disk needs no lock.
type disk struct {
	experimental.UnimplementedFS
	clock  *clock
	root   *node
	inodes uint64 // the last number given to a node
	bytes  int    // bytes that are left for files
	nodes  int    // files and folders that may still be created
	open   int    // files and folders that may still be opened
	// refusal is the WASI error of the last call that reached a limit. Wazero's list of errors has no names for these
	// errors, so such a call returns EIO, which nothing else here returns, and guard replaces EIO by the refusal.
	refusal uint64
}

// A node is a file, a folder or a device.
type node struct {
	inode   uint64
	kind    fs.FileMode // fs.ModeDir, fs.ModeDevice|fs.ModeCharDevice, or 0
	preset  bool        // there from the beginning: it counts towards no limit and is read-only
	removed bool        // it has no name any more, and is freed when it is closed
	open    int         // number of handles

	data    []byte           // of a file
	device  func([]byte) int // reads from a device
	entries map[string]*node // of a folder
	parent  *node            // nil for the root

	accessed, modified, changed int64 // nanoseconds since 1970
}

func (d *disk) newNode(kind fs.FileMode) *node {
	d.inodes++
	now := d.clock.now
	n := &node{inode: d.inodes, kind: kind, accessed: now, modified: now, changed: now}
	if n.isDir() {
		n.entries = map[string]*node{}
	}
	return n
}

func (n *node) isDir() bool { return n.kind == fs.ModeDir }

// contains reports whether a folder is n or somewhere below it.
func (n *node) contains(folder *node) bool {
	for folder != nil && folder != n {
		folder = folder.parent
	}
	return folder == n
}

func (n *node) stat() sys.Stat_t {
	links := uint64(1)
	if n.removed {
		links = 0
	}
	return sys.Stat_t{
		Dev: 1, Ino: n.inode, Mode: n.kind, Nlink: links, Size: int64(len(n.data)),
		Atim: n.accessed, Mtim: n.modified, Ctim: n.changed,
	}
}

func (n *node) setTimes(accessed, modified, now int64) {
	if accessed != experimental.UTIME_OMIT {
		n.accessed = accessed
	}
	if modified != experimental.UTIME_OMIT {
		n.modified = modified
	}
	n.changed = now
}

// A dirEntry is the target of a path: a name in a folder and the node with that name, or the root, which has no folder.
type dirEntry struct {
	folder *node
	name   string
	node   *node // nil if nothing has the name
	asDir  bool  // the path ends with a slash, so it means a folder
}

// find follows a path. Wazero passes paths relative to the root and without "..". A ".." that remains is taken for a
// name, which no file has.
func (d *disk) find(path string) (dirEntry, experimental.Errno) {
	// For a path relative to an open folder, wazero prepends the folder's own path.
	if len(path) > maxPath {
		return dirEntry{}, experimental.ENAMETOOLONG
	}
	at := dirEntry{node: d.root, asDir: strings.HasSuffix(path, "/")}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		switch {
		case at.node == nil:
			return dirEntry{}, experimental.ENOENT
		case !at.node.isDir():
			return dirEntry{}, experimental.ENOTDIR
		case len(name) > maxName:
			return dirEntry{}, experimental.ENAMETOOLONG
		case strings.Contains(name, "\x00"):
			return dirEntry{}, experimental.EINVAL
		}
		at.folder, at.name = at.node, name
		at.node = at.folder.entries[name]
	}
	if at.asDir && at.node != nil && !at.node.isDir() {
		return dirEntry{}, experimental.ENOTDIR
	}
	return at, 0
}

// existing is like find, but returns ENOENT if nothing has the name.
func (d *disk) existing(path string) (dirEntry, experimental.Errno) {
	at, errno := d.find(path)
	if errno == 0 && at.node == nil {
		errno = experimental.ENOENT
	}
	return at, errno
}

// refuse records the WASI error of a call that reaches a limit, and returns EIO; see disk.refusal.
func (d *disk) refuse(code uint64) experimental.Errno {
	d.refusal = code
	return experimental.EIO
}

// create makes a node at an unused name.
func (d *disk) create(at dirEntry, kind fs.FileMode) (*node, experimental.Errno) {
	if d.nodes == 0 {
		return nil, d.refuse(errnoNoSpace)
	}
	d.nodes--
	n := d.newNode(kind)
	d.enter(at, n)
	return n, 0
}

// enter adds a node to a folder.
func (d *disk) enter(at dirEntry, n *node) {
	// Without the copy, the entry would keep the whole path in memory.
	at.folder.entries[strings.Clone(at.name)] = n
	n.parent = at.folder
	d.touch(at.folder)
}

// leave removes an entry from its folder.
func (d *disk) leave(at dirEntry) {
	delete(at.folder.entries, at.name)
	d.touch(at.folder)
}

// remove removes an entry from its folder, and frees the node if it is not open.
func (d *disk) remove(at dirEntry) {
	d.leave(at)
	at.node.removed = true
	d.release(at.node)
}

// touch records that a file or a folder changed.
func (d *disk) touch(n *node) {
	n.modified, n.changed = d.clock.now, d.clock.now
}

// release frees a node that has no name and is not open, and gives its space back to the disk.
func (d *disk) release(n *node) {
	if n.removed && n.open == 0 && !n.preset {
		d.nodes++
		d.bytes += len(n.data)
		n.data = nil
	}
}

// resize truncates a file, or extends it with zeros. A file uses at most twice its length of the host's memory.
func (d *disk) resize(n *node, size int64) experimental.Errno {
	old := len(n.data)
	if size > int64(old+d.bytes) {
		return d.refuse(errnoNoSpace)
	}
	length := int(size)
	d.bytes -= length - old
	switch {
	case length > cap(n.data):
		data := make([]byte, length, max(length, min(2*old, length+d.bytes)))
		copy(data, n.data)
		n.data = data
	case length < cap(n.data)/2:
		n.data = slices.Clone(n.data[:length])
	default:
		// The bytes after the length are always zero, for when the file grows again.
		clear(n.data[min(length, old):])
		n.data = n.data[:length]
	}
	return 0
}

// OpenFile implements experimental.FS.
func (d *disk) OpenFile(path string, flag experimental.Oflag, _ fs.FileMode) (experimental.File, experimental.Errno) {
	at, errno := d.find(path)
	if errno != 0 {
		return nil, errno
	}
	const writing = experimental.O_RDWR | experimental.O_WRONLY | experimental.O_APPEND | experimental.O_TRUNC
	create := flag&experimental.O_CREAT != 0
	n := at.node
	switch {
	case n == nil && !create:
		return nil, experimental.ENOENT
	case d.open == 0:
		return nil, d.refuse(errnoTooManyOpen)
	case n == nil && at.asDir:
		return nil, experimental.EISDIR
	case n == nil:
		if n, errno = d.create(at, 0); errno != 0 {
			return nil, errno
		}
	case create && flag&experimental.O_EXCL != 0:
		return nil, experimental.EEXIST
	case n.isDir() && (create || flag&writing != 0):
		return nil, experimental.EISDIR
	case !n.isDir() && flag&experimental.O_DIRECTORY != 0:
		return nil, experimental.ENOTDIR
	case n.kind == 0 && n.preset && flag&writing != 0:
		return nil, experimental.EACCES
	case n.kind == 0 && flag&experimental.O_TRUNC != 0:
		d.resize(n, 0)
		d.touch(n)
	}
	d.open--
	n.open++
	h := handle{disk: d, node: n}
	switch {
	case n.isDir():
		return &openFolder{handle: h}, 0
	case n.device != nil:
		return &openDevice{h}, 0
	default:
		return &openFile{
			handle: h,
			reads:  flag&experimental.O_WRONLY == 0,
			writes: flag&(experimental.O_RDWR|experimental.O_WRONLY) != 0,
			append: flag&experimental.O_APPEND != 0,
		}, 0
	}
}

// Stat implements experimental.FS.
func (d *disk) Stat(path string) (sys.Stat_t, experimental.Errno) {
	at, errno := d.existing(path)
	if errno != 0 {
		return sys.Stat_t{}, errno
	}
	return at.node.stat(), 0
}

// Lstat implements experimental.FS.
func (d *disk) Lstat(path string) (sys.Stat_t, experimental.Errno) { return d.Stat(path) }

// Readlink implements experimental.FS: nothing is a link.
func (d *disk) Readlink(path string) (string, experimental.Errno) {
	if _, errno := d.existing(path); errno != 0 {
		return "", errno
	}
	return "", experimental.EINVAL
}

// Mkdir implements experimental.FS.
func (d *disk) Mkdir(path string, _ fs.FileMode) experimental.Errno {
	at, errno := d.find(path)
	switch {
	case errno != 0:
		return errno
	case at.node != nil:
		return experimental.EEXIST
	}
	_, errno = d.create(at, fs.ModeDir)
	return errno
}

// Unlink implements experimental.FS.
func (d *disk) Unlink(path string) experimental.Errno {
	at, errno := d.existing(path)
	switch {
	case errno != 0:
		return errno
	case at.node.isDir():
		return experimental.EISDIR
	}
	d.remove(at)
	return 0
}

// Rmdir implements experimental.FS.
func (d *disk) Rmdir(path string) experimental.Errno {
	at, errno := d.existing(path)
	switch {
	case errno != 0:
		return errno
	case !at.node.isDir():
		return experimental.ENOTDIR
	case at.folder == nil:
		return experimental.EPERM // the root
	case len(at.node.entries) > 0:
		return experimental.ENOTEMPTY
	}
	d.remove(at)
	return 0
}

// Rename implements experimental.FS.
func (d *disk) Rename(from, to string) experimental.Errno {
	old, errno := d.existing(from)
	if errno != 0 {
		return errno
	}
	at, errno := d.find(to)
	isDir := old.node.isDir()
	switch {
	case errno != 0:
		return errno
	case old.folder == nil || at.folder == nil:
		return experimental.EPERM // the root
	case at.node == old.node:
		return 0
	case old.node.contains(at.folder):
		return experimental.EINVAL
	case at.node == nil && at.asDir && !isDir:
		return experimental.ENOTDIR
	case at.node == nil:
	case isDir && !at.node.isDir():
		return experimental.ENOTDIR
	case !isDir && at.node.isDir():
		return experimental.EISDIR
	case len(at.node.entries) > 0:
		return experimental.ENOTEMPTY
	default:
		d.remove(at)
	}
	d.leave(old)
	d.enter(at, old.node)
	return 0
}

// Utimens implements experimental.FS.
func (d *disk) Utimens(path string, accessed, modified int64) experimental.Errno {
	at, errno := d.existing(path)
	if errno != 0 {
		return errno
	}
	at.node.setTimes(accessed, modified, d.clock.now)
	return 0
}
