package safefile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestSpecialFiles reads names that exist and are not regular files. Opening a named pipe without a writer would wait
// for ever.
func TestSpecialFiles(t *testing.T) {
	root, dir := lay(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, "to-pipe")); err != nil {
		t.Fatal(err)
	}
	// A socket's path may have 108 bytes at most, so it is named from within its folder.
	t.Chdir(dir)
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for file, kind := range map[string]string{"pipe": "named pipe", "to-pipe": "named pipe", "socket": "socket"} {
		_, err := Read(root, file, "x.go", 1024)
		refused(t, err, "x.go", "is a "+kind+", not a file", dir)
	}
	_, err = Folder(root, "pipe")
	refused(t, err, "pipe", "is a named pipe, not a folder", dir)
	// A file that the kernel makes up has no size beforehand.
	proc, err := os.OpenRoot("/proc/self")
	if err != nil {
		t.Fatal(err)
	}
	defer proc.Close()
	_, err = Read(proc, "maps", "maps", 16)
	refused(t, err, "maps", "has more than", dir)
}

// TestUnreadable reads a file without permission. Root may read every file, so its thread gives that up.
func TestUnreadable(t *testing.T) {
	root, dir := lay(t)
	for _, name := range []string{"plain", "sub"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "sub"), 0o755) })
	if os.Geteuid() == 0 {
		runtime.LockOSThread() // it stays locked, so the thread ends with the test
		const nobody = 65534
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0); errno != 0 {
			t.Fatal(errno)
		}
		defer syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
	}
	for _, file := range []string{"plain", "sub/deep/file", "inside"} {
		_, err := Read(root, file, "x.go", 1024)
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "x.go") ||
			strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want that permission to x.go is denied", file, err)
		}
	}
	if _, err := Folder(root, "sub"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a folder: %v", err)
	}
}
