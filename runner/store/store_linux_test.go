package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() {
	children["without permission"] = withoutPermission
	children["full disk"] = fullDisk
}

// withoutPermission opens the folder as an unprivileged user if root runs the tests, because root may write anywhere.
func withoutPermission(dir string) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return err
		}
	}
	s, err := Open(Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return nil
	}
	s.Close()
	return nil
}

func TestWithoutPermission(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{filepath.Dir(top), top} {
		if err := os.Chmod(dir, 0o755); err != nil { // others may go through
			t.Fatal(err)
		}
	}
	made := filepath.Join(top, "made")
	if err := os.Mkdir(made, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{made, filepath.Join(made, "new")} {
		out, err := childCommand(t, "without permission", dir).Output()
		if err != nil || !strings.Contains(string(out), "name a folder that the runner may write to with --state") ||
			!strings.Contains(string(out), dir) {
			t.Errorf("%s: %v, %s", dir, err, out)
		}
	}
}

// fullDisk mounts a small file system at the folder, visible to this process alone, and fills it.
func fullDisk(dir string) error {
	size := func(bytes int, flags uintptr) error {
		return syscall.Mount("snippets", dir, "tmpfs", flags, fmt.Sprintf("size=%d", bytes))
	}
	if err := size(2<<20, 0); err != nil {
		fmt.Println("no mount:", err)
		return nil
	}
	ctx := context.Background()
	s, err := openSnippets(ctx, Options{Dir: dir}, ample)
	if err != nil {
		return err
	}
	var stored []string
	body := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 8000)) }
	store := func() error {
		id, err := s.Put(ctx, "a client", []byte(body(len(stored))))
		if err == nil {
			stored = append(stored, id)
		}
		return err
	}
	for err == nil && len(stored) < 1000 {
		err = store()
	}
	fmt.Printf("%d stored, then: %v\n", len(stored), err)
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "free space") {
		return errors.New("this is not the error of a full store")
	}
	allThere := func() error {
		for i, id := range stored {
			if got, err := s.Get(ctx, id); err != nil || string(got) != body(i) {
				return fmt.Errorf("snippet %d: %.20q, %v", i, got, err)
			}
		}
		return nil
	}
	if err := allThere(); err != nil {
		return err
	}
	if err := size(8<<20, syscall.MS_REMOUNT); err != nil {
		return err
	}
	for {
		err := store()
		if err == nil {
			break
		}
		// On a busy machine the store may also be too slow to answer.
		if !errors.Is(err, ErrFull) && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("before the store has tried again: %w", err)
		}
		time.Sleep(retryTime / 10)
	}
	if err := allThere(); err != nil {
		return err
	}
	s.store.Close()
	if s, err = openSnippets(ctx, Options{Dir: dir}, ample); err != nil {
		return err
	}
	return allThere()
}

func TestFullDisk(t *testing.T) {
	cmd := childCommand(t, "full disk", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) || strings.HasPrefix(string(out), "no mount:") {
		if os.Getenv("CI") == "true" {
			t.Fatalf("this user may not mount a file system in a namespace: %v %s", err, out)
		}
		t.Skipf("NOT TESTED: a full disk. This user may not mount a file system in a namespace: %v %s", err, out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
