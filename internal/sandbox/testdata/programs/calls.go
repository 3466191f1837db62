package main

import (
	"os"
	"strconv"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 fd_renumber
func fdRenumber(from, to int32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_allocate
func fdAllocate(fd int32, offset, size int64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_read
func fdRead(fd int32, vectors unsafe.Pointer, count uint32, read unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_write
func fdWrite(fd int32, vectors unsafe.Pointer, count uint32, written unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_readdir
func fdReaddir(fd int32, buffer unsafe.Pointer, size uint32, cookie uint64, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 poll_oneoff
func pollOneoff(in, out unsafe.Pointer, count uint32, events unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 path_open
func pathOpen(fd int32, flags uint32, path unsafe.Pointer, size uint32, oflags uint32, rights, inheriting uint64, fdflags uint32, opened unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 path_symlink
func pathSymlink(old unsafe.Pointer, oldSize uint32, fd int32, path unsafe.Pointer, size uint32) uint32

//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(p unsafe.Pointer, size uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_accept
func sockAccept(fd int32, flags uint32, accepted unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 sock_send
func sockSend(fd int32, vectors unsafe.Pointer, count, flags uint32, sent unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_times
func fdFilestatSetTimes(fd int32, accessed, modified int64, flags uint32) uint32

// systemCalls makes calls that Go never makes. The last one ends the program.
func systemCalls() {
	memory := make([]byte, 1<<20)
	at := unsafe.Pointer(&memory[0])
	var n uint32
	result := unsafe.Pointer(&n)
	f, err := os.Create("/tmp/file")
	if err != nil {
		panic(err)
	}
	fd := int32(f.Fd())
	zero, err := os.Open("/dev/zero")
	if err != nil {
		panic(err)
	}
	for _, c := range []struct {
		name  string
		errno uint32
	}{
		{"renumber", fdRenumber(fd, 1<<31-1)},
		{"renumber root", fdRenumber(3, fd)},
		{"allocate", fdAllocate(fd, 1<<60, 1<<60)},
		{"allocate overflow", fdAllocate(fd, 1<<62, 1<<62)},
		{"read", fdRead(int32(zero.Fd()), at, 1<<29, result)},
		{"write", fdWrite(1, at, 1<<28, result)},
		{"readdir", fdReaddir(3, at, 1<<32-1, 0, result)},
		{"readdir cookie", fdReaddir(3, at, 1<<10, 1<<63, result)},
		{"poll nothing", pollOneoff(at, at, 0, result)},
		{"poll", pollOneoff(at, at, 1<<28, result)},
		{"open", pathOpen(3, 0, at, 1<<20, 0, 1<<63, 0, 0, result)},
		{"open relative to a file", pathOpen(fd, 0, at, 1, 0, 0, 0, 0, result)},
		{"open relative to stdin", pathOpen(0, 0, at, 1, 0, 0, 0, 0, result)},
		{"symlink", pathSymlink(at, 1<<20, 3, at, 4)},
		{"random", randomGet(at, 1<<32-1)},
		{"accept", sockAccept(3, 0, result)},
		{"send", sockSend(fd, at, 1, 0, result)},
	} {
		say(c.name, strconv.Itoa(int(c.errno)))
	}
	fdFilestatSetTimes(1, 0, 0, 0)
}
