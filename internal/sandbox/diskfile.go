package sandbox

import (
	"io"
	"maps"
	"math"
	"slices"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// position is int64. With int64 itself, go vet would take Seek for the method of io.Seeker, and complain that it
// returns no error.
type position = int64

// A handle is the common part of open files, folders and devices. Wazero does not use a handle after its Close.
type handle struct {
	experimental.UnimplementedFile
	disk *disk
	node *node
}

// Ino implements experimental.File.
func (h *handle) Ino() (sys.Inode, experimental.Errno) { return h.node.inode, 0 }

// Stat implements experimental.File.
func (h *handle) Stat() (sys.Stat_t, experimental.Errno) { return h.node.stat(), 0 }

// Utimens implements experimental.File.
func (h *handle) Utimens(accessed, modified int64) experimental.Errno {
	h.node.setTimes(accessed, modified, h.disk.clock.now)
	return 0
}

// Close implements experimental.File.
func (h *handle) Close() experimental.Errno {
	h.disk.open++
	h.node.open--
	h.disk.release(h.node)
	return 0
}

// An openFile is a file that is open, with its access mode and its offset.
type openFile struct {
	handle
	reads, writes, append bool
	offset                int64 // in bytes; may be beyond the end
}

// IsAppend implements experimental.File.
func (f *openFile) IsAppend() bool { return f.append }

// SetAppend implements experimental.File.
func (f *openFile) SetAppend(enable bool) experimental.Errno {
	f.append = enable
	return 0
}

// Read implements experimental.File.
func (f *openFile) Read(p []byte) (int, experimental.Errno) {
	n, errno := f.Pread(p, f.offset)
	f.offset += int64(n)
	return n, errno
}

// Pread implements experimental.File.
func (f *openFile) Pread(p []byte, offset int64) (int, experimental.Errno) {
	switch {
	case !f.reads:
		return 0, experimental.EBADF
	case offset < 0:
		return 0, experimental.EINVAL
	case offset >= int64(len(f.node.data)):
		return 0, 0
	}
	return copy(p, f.node.data[offset:]), 0
}

// Write implements experimental.File.
func (f *openFile) Write(p []byte) (int, experimental.Errno) {
	if f.append {
		f.offset = int64(len(f.node.data))
	}
	n, errno := f.Pwrite(p, f.offset)
	f.offset += int64(n)
	return n, errno
}

// Pwrite implements experimental.File. It writes all of p or nothing.
func (f *openFile) Pwrite(p []byte, offset int64) (int, experimental.Errno) {
	switch {
	case !f.writes:
		return 0, experimental.EBADF
	case offset < 0:
		return 0, experimental.EINVAL
	case len(p) == 0:
		return 0, 0
	case offset > math.MaxInt64-int64(len(p)):
		return 0, f.disk.refuse(errnoNoSpace)
	}
	if end := offset + int64(len(p)); end > int64(len(f.node.data)) {
		if errno := f.disk.resize(f.node, end); errno != 0 {
			return 0, errno
		}
	}
	f.disk.touch(f.node)
	return copy(f.node.data[offset:], p), 0
}

// Truncate implements experimental.File.
func (f *openFile) Truncate(size int64) experimental.Errno {
	switch {
	case !f.writes:
		return experimental.EBADF
	case size < 0:
		return experimental.EINVAL
	}
	f.disk.touch(f.node)
	return f.disk.resize(f.node, size)
}

// Seek implements experimental.File.
func (f *openFile) Seek(offset position, whence int) (int64, experimental.Errno) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += int64(len(f.node.data))
	default:
		return 0, experimental.EINVAL
	}
	// The sum is negative if it overflowed.
	if offset < 0 {
		return 0, experimental.EINVAL
	}
	f.offset = offset
	return offset, 0
}

// An openFolder is a folder that is open, with the position of Readdir.
type openFolder struct {
	handle
	experimental.DirFile
	last string // the last name that Readdir returned, "" for none
}

// Seek implements experimental.File.
func (f *openFolder) Seek(offset position, whence int) (int64, experimental.Errno) {
	if offset != 0 || whence != io.SeekStart {
		return 0, experimental.EINVAL
	}
	f.last = ""
	return 0, 0
}

// Readdir implements experimental.File. It returns names in sorted order, and continues after the last one, so that it
// returns each name once even if files are created and removed between two calls.
func (f *openFolder) Readdir(n int) ([]experimental.Dirent, experimental.Errno) {
	names := slices.Sorted(maps.Keys(f.node.entries))
	next, found := slices.BinarySearch(names, f.last)
	if found {
		next++
	}
	names = names[next:]
	if n > 0 && n < len(names) {
		names = names[:n]
	}
	var entries []experimental.Dirent
	for _, name := range names {
		e := f.node.entries[name]
		entries = append(entries, experimental.Dirent{Ino: e.inode, Name: name, Type: e.kind})
		f.last = name
	}
	return entries, 0
}

// An openDevice is an open device.
type openDevice struct{ handle }

// Read implements experimental.File. Its length is bounded, because a system call of a program cannot be interrupted.
func (f *openDevice) Read(p []byte) (int, experimental.Errno) {
	return f.node.device(p[:min(len(p), maxDevice)]), 0
}

// Write implements experimental.File. It discards p.
func (f *openDevice) Write(p []byte) (int, experimental.Errno) { return len(p), 0 }
