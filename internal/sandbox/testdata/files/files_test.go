// Package files tests the disk of a program from inside: package sandbox builds it for wasip1 and runs it.
package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// must ends the test unless err is nil.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails wants another error than nil.
func fails(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// TestTree is first, so that nothing is there but what was given.
func TestTree(t *testing.T) {
	var got []string
	must(t, filepath.Walk("/", func(path string, info fs.FileInfo, err error) error {
		must(t, err)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		got = append(got, path)
		return nil
	}))
	want := []string{
		"/", "/dev", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero",
		"/etc", "/etc/group", "/etc/hosts", "/etc/passwd", "/etc/resolv.conf",
		"/tmp", "/usr", "/usr/local", "/usr/local/go", "/usr/local/go/lib", "/usr/local/go/lib/time",
		"/usr/local/go/lib/time/zoneinfo.zip",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFS has the standard library try whatever reading a tree can be.
func TestFS(t *testing.T) {
	must(t, fstest.TestFS(os.DirFS("/etc"), "group", "hosts", "passwd", "resolv.conf"))
	dir := t.TempDir()
	for _, name := range []string{"a/b/c/d", "a/b/e", "a/empty", "f"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	must(t, fstest.TestFS(os.DirFS(dir), "a/b/c/d", "a/b/e", "a/empty", "f"))
}

func TestHostIsNotThere(t *testing.T) {
	for _, name := range []string{
		"/proc", "/proc/self/environ", "/proc/1/cwd/etc/passwd", "/sys", "/opt", "/home", "/bin/sh", "/etc/shadow", "/etc/hostname",
		"/dev/fd/0", "/dev/stdin", "/dev/mem", "/dev/sda", "/var", "/run", "/usr/bin", "/usr/local/go/bin/go", "/usr/local/go/VERSION",
		"../../../../../../etc/shadow", "/../../root", "/tmp/../../../root", "/usr/local/go/../../../../root", "/.dockerenv", "//root",
		"/tmp/./../opt/.", "/etc/passwd/../shadow", `C:\Windows`, `\\host\share`, "file:///etc/shadow",
	} {
		if _, err := os.ReadFile(name); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("read %s: %v", name, err)
		}
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("stat %s: %v", name, err)
		}
	}
	// However many folders up, the root is the root.
	for _, name := range []string{"/..", "../..", "/tmp/../..", "/etc/../../../.."} {
		entries, err := os.ReadDir(name)
		must(t, err)
		if len(entries) != 4 {
			t.Errorf("%s has %v", name, entries)
		}
	}
	// Nor does a number lead anywhere.
	for fd := range 100 {
		if fd == 3 {
			continue // the root
		}
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err == nil && (fd > 2 || st.Size != 0) {
			t.Errorf("number %d is open: %+v", fd, st)
		}
		if other, err := syscall.Openat(fd, "../../etc/shadow", syscall.O_RDONLY, 0); err == nil {
			t.Errorf("number %d leads to %d", fd, other)
		}
	}
	if fd, err := syscall.Openat(3, "../../etc/shadow", syscall.O_RDONLY, 0); err == nil {
		t.Errorf("the root leads to %d", fd)
	}
}

func TestDevices(t *testing.T) {
	null, err := os.OpenFile("/dev/null", os.O_RDWR|os.O_TRUNC, 0)
	must(t, err)
	defer null.Close()
	if n, err := null.Write(make([]byte, 100)); n != 100 || err != nil {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if n, err := null.Read(make([]byte, 100)); n != 0 || err != io.EOF {
		t.Errorf("read %d bytes, %v", n, err)
	}
	read := func(name string, size int) []byte {
		f, err := os.Open(name)
		must(t, err)
		defer f.Close()
		p := bytes.Repeat([]byte{1}, size)
		_, err = io.ReadFull(f, p)
		must(t, err)
		return p
	}
	if p := read("/dev/zero", 3<<20); !bytes.Equal(p, make([]byte, 3<<20)) {
		t.Error("/dev/zero has other bytes too")
	}
	if bytes.Equal(read("/dev/random", 32), read("/dev/urandom", 32)) {
		t.Error("random bytes come again")
	}
	info, err := os.Stat("/dev/zero")
	must(t, err)
	if info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestGivenFilesStay(t *testing.T) {
	for _, name := range []string{"/etc/passwd", "/etc/resolv.conf", "/usr/local/go/lib/time/zoneinfo.zip"} {
		before, err := os.ReadFile(name)
		must(t, err)
		for _, flag := range []int{os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_CREATE} {
			_, err := os.OpenFile(name, flag, 0o600)
			fails(t, err, fs.ErrPermission)
		}
		fails(t, os.Truncate(name, 0), fs.ErrPermission)
		after, err := os.ReadFile(name)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s changed", name)
		}
	}
}

func TestZones(t *testing.T) {
	for zone, want := range map[string]string{
		"America/New_York": "2012-07-09 05:02:00 -0400 EDT",
		"Europe/Berlin":    "2012-07-09 05:02:00 +0200 CEST",
		"Asia/Kathmandu":   "2012-07-09 05:02:00 +0545 +0545",
	} {
		loc, err := time.LoadLocation(zone)
		must(t, err)
		if got := time.Date(2012, 7, 9, 5, 2, 0, 0, loc).String(); got != want {
			t.Errorf("%s: got %s, want %s", zone, got, want)
		}
	}
	if _, err := time.LoadLocation("Nowhere/At_All"); err == nil {
		t.Error("there is a zone Nowhere/At_All")
	}
}

func TestWorkingDirectory(t *testing.T) {
	dir, err := os.Getwd()
	must(t, err)
	if dir != "/" || os.TempDir() != "/tmp" {
		t.Errorf("in %s, temporary files in %s", dir, os.TempDir())
	}
	must(t, os.WriteFile("here", []byte("x"), 0o600))
	must(t, os.Rename("here", "tmp/there"))
	t.Chdir("tmp")
	must(t, os.Remove("there"))
	_, err = os.Stat("../etc/hosts")
	must(t, err)
	must(t, os.Chdir(".."))
}

func TestContents(t *testing.T) {
	f, err := os.CreateTemp("", "contents")
	must(t, err)
	defer os.Remove(f.Name())
	defer f.Close()
	if !strings.HasPrefix(f.Name(), "/tmp/contents") {
		t.Errorf("temporary file %s", f.Name())
	}
	is := func(want string) {
		t.Helper()
		got, err := os.ReadFile(f.Name())
		must(t, err)
		info, err := f.Stat()
		must(t, err)
		if string(got) != want || info.Size() != int64(len(want)) {
			t.Errorf("content %q of %d bytes, want %q", got, info.Size(), want)
		}
	}
	_, err = f.WriteString("hello, world")
	must(t, err)
	_, err = f.WriteAt([]byte("HE"), 0)
	must(t, err)
	is("HEllo, world")
	must(t, f.Truncate(3))
	is("HEl")
	must(t, f.Truncate(6))
	is("HEl\x00\x00\x00") // and nothing of what was there before
	_, err = f.Seek(-5, io.SeekEnd)
	must(t, err)
	_, err = f.WriteString("e")
	must(t, err)
	_, err = f.Seek(6, io.SeekCurrent)
	must(t, err)
	_, err = f.WriteString("!") // behind the end
	must(t, err)
	is("Hel\x00\x00\x00\x00\x00!")
	p := make([]byte, 2)
	_, err = f.ReadAt(p, 7)
	must(t, err)
	if string(p) != "\x00!" {
		t.Errorf("read %q", p)
	}
	_, err = f.Seek(-1, io.SeekStart)
	fails(t, err, syscall.EINVAL)
	must(t, f.Sync())

	more, err := os.OpenFile(f.Name(), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer more.Close()
	must(t, f.Truncate(1))
	_, err = more.WriteString("1")
	must(t, err)
	_, err = f.WriteAt([]byte("2"), 2)
	must(t, err)
	_, err = more.WriteString("3")
	must(t, err)
	is("H123")
	_, err = more.Read(p)
	fails(t, err, syscall.EBADF)

	reader, err := os.Open(f.Name())
	must(t, err)
	defer reader.Close()
	_, err = reader.Write(p)
	fails(t, err, syscall.EBADF)
	fails(t, reader.Truncate(0), syscall.EBADF)
	must(t, os.WriteFile(f.Name(), []byte("new"), 0))
	is("new")
	_, err = os.OpenFile(f.Name(), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0)
	fails(t, err, fs.ErrExist)
}

func TestErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("file", []byte("x"), 0o600))
	must(t, os.MkdirAll("full/empty", 0o700))
	long := strings.Repeat("a", 255)
	must(t, os.WriteFile(long, nil, 0o600))
	open := func(name string, flag int) error {
		f, err := os.OpenFile(name, flag, 0o600)
		if err == nil {
			f.Close()
		}
		return err
	}
	readlink := func(name string) error {
		_, err := os.Readlink(name)
		return err
	}
	for i, c := range []struct{ err, want error }{
		{open("nothing", os.O_RDONLY), syscall.ENOENT},
		{open("nothing/file", os.O_RDWR|os.O_CREATE), syscall.ENOENT},
		{open("file/file", os.O_RDWR|os.O_CREATE), syscall.ENOTDIR},
		{open("file/", os.O_RDONLY), syscall.ENOTDIR},
		{open("new/", os.O_RDWR|os.O_CREATE), syscall.EISDIR},
		{open("full", os.O_RDWR), syscall.EISDIR},
		{open("full", os.O_RDONLY|os.O_CREATE), syscall.EISDIR},
		{open("full", os.O_WRONLY|os.O_TRUNC), syscall.EISDIR},
		{open("file", os.O_RDONLY|syscall.O_DIRECTORY), syscall.ENOTDIR},
		{open("", os.O_RDONLY), syscall.EINVAL},
		{open(long+"a", os.O_RDWR|os.O_CREATE), syscall.ENAMETOOLONG},
		{open(strings.Repeat("a/", 3000), os.O_RDONLY), syscall.ENAMETOOLONG},
		{open(strings.Repeat("a", 1<<20), os.O_RDWR|os.O_CREATE), syscall.ENAMETOOLONG},
		{open("a\x00b", os.O_RDWR|os.O_CREATE), syscall.EINVAL},
		{open("a\xffb", os.O_RDWR|os.O_CREATE), syscall.EPERM},
		{os.Mkdir("file", 0o700), syscall.EEXIST},
		{os.Mkdir("full", 0o700), syscall.EEXIST},
		{os.Mkdir("/", 0o700), syscall.EEXIST},
		{os.Mkdir("nothing/folder", 0o700), syscall.ENOENT},
		{os.Mkdir("file/folder", 0o700), syscall.ENOTDIR},
		{os.Remove("nothing"), syscall.ENOENT},
		{os.Remove("full"), syscall.ENOTEMPTY},
		{os.Remove("/"), syscall.EPERM},
		{syscall.Unlink("full"), syscall.EISDIR},
		{syscall.Rmdir("file"), syscall.ENOTDIR},
		{os.Rename("nothing", "other"), syscall.ENOENT},
		{os.Rename("file", "nothing/file"), syscall.ENOENT},
		{os.Rename("file", "other/"), syscall.ENOTDIR},
		{syscall.Rename("file", "full"), syscall.EISDIR},
		{os.Rename("full", "file"), syscall.ENOTDIR},
		{os.Rename("full", "full/empty/more"), syscall.EINVAL},
		{os.Rename("full/empty", "full"), syscall.EEXIST},
		{syscall.Rename("full/empty", "full"), syscall.ENOTEMPTY},
		{os.Rename("/", "root"), syscall.EPERM},
		{os.Rename("full", "/"), syscall.EEXIST},
		{os.Symlink("file", "link"), syscall.ENOSYS},
		{os.Link("file", "link"), syscall.ENOSYS},
		{readlink("file"), syscall.EINVAL},
		{readlink("nothing"), syscall.ENOENT},
		{os.Truncate("full", 0), syscall.EISDIR},
		{os.Truncate("file", -1), syscall.EINVAL},
		{os.Chtimes("nothing", time.Now(), time.Now()), syscall.ENOENT},
		{os.Chdir("file"), syscall.ENOTDIR},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("case %d: error %v, want %v", i, c.err, c.want)
		}
	}
	text, err := os.ReadFile("file")
	if err != nil || string(text) != "x" {
		t.Errorf("content %q, %v", text, err)
	}
}

func TestRename(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.MkdirAll("a/b", 0o700))
	must(t, os.WriteFile("a/b/file", []byte("1"), 0o600))
	must(t, os.WriteFile("other", []byte("2"), 0o600))
	must(t, os.Rename("other", "other"))
	must(t, syscall.Rename("a", "a")) // os.Rename replaces no folder
	must(t, os.Mkdir("empty", 0o700))
	must(t, syscall.Rename("a", "empty"))
	must(t, os.Rename("empty/b/file", "other"))
	must(t, os.Rename("empty", "emptyandmore")) // not into itself
	text, err := os.ReadFile("other")
	if err != nil || string(text) != "1" {
		t.Errorf("content %q, %v", text, err)
	}
	entries, err := os.ReadDir(".")
	must(t, err)
	if len(entries) != 2 || entries[0].Name() != "emptyandmore" || entries[1].Name() != "other" {
		t.Errorf("%v", entries)
	}
}

func TestRemovedFileStaysWhileOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	must(t, err)
	must(t, os.Remove(name))
	_, err = f.WriteString("still here")
	must(t, err)
	_, err = f.Seek(6, io.SeekStart)
	must(t, err)
	text, err := io.ReadAll(f)
	if err != nil || string(text) != "here" {
		t.Errorf("content %q, %v", text, err)
	}
	must(t, f.Close())
	_, err = os.Stat(name)
	fails(t, err, fs.ErrNotExist)
}

func TestFolders(t *testing.T) {
	const count = 3000
	dir := t.TempDir()
	for i := range count {
		must(t, os.WriteFile(filepath.Join(dir, string(rune(0x4e00+i))), nil, 0o600))
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != count || entries[0].Name() != "一" {
		t.Errorf("%d entries", len(entries))
	}

	f, err := os.Open(dir)
	must(t, err)
	defer f.Close()
	names, err := f.Readdirnames(10)
	must(t, err)
	if len(names) != 10 {
		t.Errorf("%d names", len(names))
	}
	for _, name := range names {
		must(t, os.Remove(filepath.Join(dir, name)))
	}
	rest, err := f.Readdirnames(-1)
	must(t, err)
	if len(rest) != count-10 {
		t.Errorf("%d names after removing the names that were read, want %d", len(rest), count-10)
	}
	must(t, os.RemoveAll(dir))
	_, err = os.Stat(dir)
	fails(t, err, fs.ErrNotExist)
}

func TestRoot(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer root.Close()
	must(t, root.Mkdir("a", 0o700))
	must(t, root.WriteFile("a/file", []byte("x"), 0o600))
	must(t, root.Rename("a/file", "a/other"))
	text, err := root.ReadFile("a/other")
	if err != nil || string(text) != "x" {
		t.Errorf("content %q, %v", text, err)
	}
	if _, err := root.Open("../../etc/passwd"); err == nil {
		t.Error("os.Root was left")
	}
	must(t, root.RemoveAll("a"))
}

func TestTimes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	modified := func() time.Time {
		info, err := os.Stat(name)
		must(t, err)
		return info.ModTime()
	}
	must(t, os.WriteFile(name, []byte("x"), 0o600))
	if got := modified(); !got.Equal(time.Now()) || got.Year() != 2009 {
		t.Errorf("modified at %v, now it is %v", got, time.Now())
	}
	time.Sleep(time.Hour)
	must(t, os.WriteFile(name, []byte("x"), 0o600))
	if got := modified(); !got.Equal(time.Now()) {
		t.Errorf("modified at %v, now it is %v", got, time.Now())
	}
	when := time.Date(2000, 1, 2, 3, 4, 5, 6, time.UTC)
	must(t, os.Chtimes(name, time.Time{}, when))
	if got := modified(); !got.Equal(when) {
		t.Errorf("modified at %v, want %v", got, when)
	}
}

// TestFull is about the bounds of the disk: 32 MiB, 4096 files and folders, 256 of them open.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	f, err := os.Create(name)
	must(t, err)
	for _, size := range []int64{1 << 60, 1<<63 - 1, 33 << 20} {
		fails(t, f.Truncate(size), syscall.ENOSPC)
		_, err = f.WriteAt([]byte("x"), size-1)
		fails(t, err, syscall.ENOSPC)
		_, err = f.Seek(size, io.SeekStart)
		must(t, err)
		_, err = f.Write([]byte("x"))
		fails(t, err, syscall.ENOSPC)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	// Twice: what is removed is there to be used again.
	for range 2 {
		must(t, f.Truncate(31<<20))
		rest := filepath.Join(dir, "rest")
		fails(t, os.WriteFile(rest, make([]byte, 2<<20), 0o600), syscall.ENOSPC)
		must(t, os.WriteFile(rest, make([]byte, 1<<20), 0o600))
		fails(t, os.WriteFile(filepath.Join(dir, "more"), []byte("x"), 0o600), syscall.ENOSPC)
		must(t, os.Remove(rest))
		must(t, f.Truncate(1<<20))
	}
	// A removed file takes its bytes until it is closed.
	must(t, f.Truncate(31<<20))
	must(t, os.Remove(name))
	fails(t, os.WriteFile(name, make([]byte, 2<<20), 0o600), syscall.ENOSPC)
	must(t, f.Close())
	must(t, os.WriteFile(name, make([]byte, 2<<20), 0o600))

	made := 0
	for {
		if err = os.Mkdir(filepath.Join(dir, "folder"+string(rune(0x4e00+made))), 0o700); err != nil {
			break
		}
		made++
	}
	fails(t, err, syscall.ENOSPC)
	if made < 4000 || made > 4096 {
		t.Errorf("%d folders", made)
	}
	fails(t, os.WriteFile(filepath.Join(dir, "one too many"), nil, 0o600), syscall.ENOSPC)
	must(t, os.RemoveAll(dir))
	must(t, os.Mkdir(dir, 0o700))

	var opened []*os.File
	for {
		if f, err = os.Open(dir); err != nil {
			break
		}
		opened = append(opened, f)
	}
	fails(t, err, syscall.EMFILE)
	if len(opened) < 250 || len(opened) > 256 {
		t.Errorf("%d open files", len(opened))
	}
	for _, f := range opened {
		must(t, f.Close())
	}
	_, err = os.ReadDir(dir)
	must(t, err)
}
