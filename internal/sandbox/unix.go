//go:build unix

package sandbox

import (
	"context"
	"syscall"
	"time"

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

// used returns the clock of the limit on a program's time: the processor time of this process if the program is alone
// in it, nil for the machine's clock.
func (w Wasm) used() func() time.Duration {
	if !w.OwnProcess {
		return nil
	}
	return func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0 // then the caller's context ends the program
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
}
