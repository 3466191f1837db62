//go:build unix

package sandbox

import (
	"context"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// withMemory has the memory of programs started in the context mapped from the operating system, which provides a page when it
// is first touched and has all of them back when the program ends. On the heap, growing would copy, and a program's 256 MiB
// would stay with this process until some later garbage collection.
func withMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		m, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return &heap{most: most}
		}
		return &mapped{m}
	}))
}

// mapped reserves all the memory that a program can have.
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

// heap serves where the operating system maps no memory.
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
