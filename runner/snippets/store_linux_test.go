package snippets

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
)

func init() {
	children["without permission"] = withoutPermission
	children["full disk"] = fullDisk
}

// withoutPermission opens the file as an unprivileged user if root runs the tests, because root may write anywhere.
func withoutPermission(file string) error {
	if os.Getuid() == 0 {
		const nobody = 65534
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return err
		}
	}
	s, err := Open(context.Background(), file, ample)
	if err != nil {
		fmt.Println(err)
		return nil
	}
	return s.Close()
}

func TestWithoutPermission(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{filepath.Dir(top), top} {
		if err := os.Chmod(dir, 0o755); err != nil { // others may go through
			t.Fatal(err)
		}
	}
	made := filepath.Join(top, "made")
	if err := os.Mkdir(made, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), filepath.Join(made, "snippets.db"), ample)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(made, "snippets.db"), 0o666); err != nil {
		t.Fatal(err)
	}
	readable := filepath.Join(made, "readable.db")
	if err := os.WriteFile(readable, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(made, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(made, 0o755) })
	for name, want := range map[string]string{
		filepath.Join(made, "new.db"): "permission denied: name a file in a folder that the runner may " +
			"write to",
		filepath.Join(made, "new", "snippets.db"): "permission denied: name a file in a folder that the runner may " +
			"write to",
		filepath.Join(made, "snippets.db"): "the runner must be allowed to write to the file and to " +
			"make files beside it",
		readable: "the runner must be allowed to write to the file and to make files beside it",
	} {
		out, err := childCommand(t, "without permission", name).Output()
		if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), made) {
			t.Errorf("%s: %v, %s; want %q", name, err, out, want)
		}
	}
}

// fullDisk mounts a small file system at the folder, visible to this process alone, and fills it.
func fullDisk(dir string) error {
	size := func(bytes int, flags uintptr) error {
		return syscall.Mount("snippets", dir, "tmpfs", flags, fmt.Sprintf("size=%d", bytes))
	}
	if err := size(512<<10, 0); err != nil {
		fmt.Println("no mount:", err)
		return nil
	}
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(dir, "snippets.db"), ample)
	if err != nil {
		return err
	}
	var stored []string
	body := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 8000)) }
	for err == nil && len(stored) < 1000 {
		var id string
		if id, err = s.Put(ctx, "a client", []byte(body(len(stored)))); err == nil {
			stored = append(stored, id)
		}
	}
	fmt.Printf("%d stored, then: %v\n", len(stored), err)
	if !errors.Is(err, ErrFull) {
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
	if _, err := Open(ctx, filepath.Join(dir, "other.db"), ample); err == nil ||
		!strings.Contains(err.Error(), "disk is full") {
		return fmt.Errorf("opening another file: %v", err)
	}
	if err := size(4<<20, syscall.MS_REMOUNT); err != nil {
		return err
	}
	id, err := s.Put(ctx, "a client", []byte(body(len(stored))))
	if err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	stored = append(stored, id)
	if err := errors.Join(allThere(), s.Close()); err != nil {
		return err
	}
	if s, err = Open(ctx, filepath.Join(dir, "snippets.db"), ample); err != nil {
		return err
	}
	return errors.Join(allThere(), s.Close())
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
