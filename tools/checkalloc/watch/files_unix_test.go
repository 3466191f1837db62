//go:build unix

package watch

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestUnannounced changes the file without an event of the system, as on a network file system, through a memory
// mapping.
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
	w := f.watch(nil)
	for range 3 {
		memory[0]++
		w.settles(t)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.notes) != 1 || !strings.Contains(w.notes[0], "sends no events") {
		t.Errorf("notes %q", w.notes)
	}
}
