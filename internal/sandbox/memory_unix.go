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
			return &heap{most: most}
		}
		return &mapped{m}
	}
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(allocate))
}

// mapped is memory that is reserved up to a program's limit.
type mapped struct{ bytes []byte }

func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size]
}

func (m *mapped) Free() {
	syscall.Munmap(m.bytes)
	m.bytes = nil
}

// heap is used if the operating system cannot reserve the memory.
type heap struct {
	bytes []byte
	most  uint64
}

func (h *heap) Reallocate(size uint64) []byte {
	if size > h.most {
		return nil
	}
	if size > uint64(cap(h.bytes)) {
		h.bytes = append(make([]byte, 0, size), h.bytes...)
	}
	h.bytes = h.bytes[:size]
	return h.bytes
}

func (h *heap) Free() { h.bytes = nil }
