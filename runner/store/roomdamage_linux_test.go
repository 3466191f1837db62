package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() { children["read as another"] = readAsAnother }

const nobody = 65534

// readAsAnother reads a class as an unprivileged user if root runs the tests, because root may read everything.
func readAsAnother(dir string) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return err
		}
	}
	_, err := readClass(context.Background(), dir)
	fmt.Println(err)
	return nil
}

// TestRoomUnreadable takes the permission to read one file after the other from the user as whom the runner runs. The
// error names the file, does not call it damaged, and nothing is changed.
func TestRoomUnreadable(t *testing.T) {
	dir := classWork(t)
	for top := dir; top != os.TempDir() && top != "/"; top = filepath.Dir(top) {
		if err := os.Chmod(top, 0o755); err != nil { // others may go through
			t.Fatal(err)
		}
	}
	all := func(do func(name string, entry fs.DirEntry) error) {
		t.Helper()
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			return errors.Join(err, do(name, entry))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		all(func(name string, _ fs.DirEntry) error { return os.Chown(name, nobody, nobody) })
	}
	read := func() string {
		t.Helper()
		out, err := childCommand(t, "read as another", dir).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if got := read(); got != "<nil>\n" {
		t.Fatalf("with all permissions: %s", got)
	}
	before := blocksOf(t, dir)
	for _, name := range []string{"rooms/msgs/1.blk", "rooms/meta.inf", "KV_verdicts/msgs/1.blk", "KV_verdicts/msgs"} {
		name = filepath.Join(streamsIn(dir), name)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		got := read()
		if err := os.Chmod(name, info.Mode()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, name) || !strings.Contains(got, "they are not damaged") ||
			strings.Contains(got, "move it away") {
			t.Errorf("without %s: %s", name, got)
		}
		if blocksOf(t, dir) != before {
			t.Errorf("without %s, files were changed", name)
		}
	}
	if got := read(); got != "<nil>\n" {
		t.Errorf("with all permissions again: %s", got)
	}
}
