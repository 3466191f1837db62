//go:build unix

package watch

import (
	"os"
	"syscall"
	"testing"
)

// TestUnannounced changes the file through a memory mapping, which need not change its time.
func TestUnannounced(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	file, err := os.OpenFile(f.path("sum.go"), os.O_RDWR, 0)
	f.must(err)
	defer file.Close()
	memory, err := syscall.Mmap(int(file.Fd()), 0, len("before\n"), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	f.must(err)
	defer syscall.Munmap(memory)
	w := f.watch()
	for range 3 {
		memory[0]++
		w.settles(t)
	}
}
