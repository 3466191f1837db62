//go:build unix

package sandbox

import (
	"context"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// withMemory returns a context with which programs get memory mapped from the operating system. A page takes physical
// memory only once it is touched, and is returned when the program ends. On the heap, growing would copy the memory,
// and a program's 256 MiB would remain in this process until a later garbage collection.
func withMemory(ctx context.Context) context.Context {
	allocate := func(_, most uint64) experimental.LinearMemory {
		const protection, flags = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_ANON | syscall.MAP_PRIVATE
		m, err := syscall.Mmap(-1, 0, int(most), protection, flags)
		if err != nil {
			return &reserved{make([]byte, most), func([]byte) error { return nil }}
		}
		return &reserved{m, syscall.Munmap}
	}
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(allocate))
}

// reserved is memory that is reserved up to a program's limit: on the heap if the operating system cannot reserve it.
type reserved struct {
	bytes []byte
	free  func([]byte) error
}

func (r *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(r.bytes)) {
		return nil
	}
	return r.bytes[:size]
}

func (r *reserved) Free() {
	r.free(r.bytes)
	r.bytes = nil
}
