package sandbox

import (
	"bytes"
	"io/fs"
	"slices"
	"testing"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
)

// FuzzDisk runs a script on a disk, and checks the disk after every step: its counts add up, its files take little more
// of the host's memory than they have bytes, and each file has the content that a slice would have.
//
// A step has four bytes: what to do, two names, and a size.
func FuzzDisk(f *testing.F) {
	const (
		open = iota
		openNew
		openShort
		closes
		write
		truncate
		mkdir
		unlink
		rmdir
		rename
		list
		steps
	)
	f.Add([]byte{openNew, 4, 0, 0, write, 0, 0, 255, truncate, 0, 0, 3, truncate, 0, 0, 200, write, 0, 100, 1})
	f.Add([]byte{openNew, 4, 0, 0, write, 0, 0, 255, unlink, 4, 0, 0, write, 0, 0, 255, closes, 0, 0, 0})
	f.Add([]byte{mkdir, 5, 0, 0, mkdir, 8, 0, 0, rename, 5, 8, 0, rename, 8, 5, 0, rmdir, 8, 0, 0, list, 5, 0, 0})
	f.Add(bytes.Repeat([]byte{openNew, 4, 0, 0, write, 0, 0, 255}, 300))
	f.Add([]byte{openNew, 4, 0, 0, openNew, 6, 0, 0, write, 0, 0, 9, write, 1, 0, 9, rename, 4, 6, 0,
		openShort, 6, 0, 0, unlink, 2, 0, 0})
	names := []string{".", "etc", "etc/passwd", "dev/zero", "a", "d", "d/a", "d/a/", "d/d", "d/d/d", "a/a", "tmp/x"}
	f.Fuzz(func(t *testing.T, script []byte) {
		c := newClock()
		d := newDisk(c, []byte("zones"))
		d.bytes, d.nodes, d.open = 10_000, 6, 4
		var files []experimental.File
		contents := map[*node][]byte{}
		for ; len(script) >= 4; script = script[4:] {
			name, other, size := names[int(script[1])%len(names)], names[int(script[2])%len(names)], int(script[3])*30
			file := func() *openFile {
				if len(files) == 0 {
					return nil
				}
				file, _ := files[int(script[1])%len(files)].(*openFile)
				return file
			}()
			switch script[0] % steps {
			case open, openNew, openShort:
				flag := [...]experimental.Oflag{
					experimental.O_RDONLY, experimental.O_RDWR | experimental.O_CREAT,
					experimental.O_RDWR | experimental.O_TRUNC,
				}[script[0]%steps]
				opened, errno := d.OpenFile(name, flag, 0)
				if errno != 0 {
					break
				}
				files = append(files, opened)
				if file, ok := opened.(*openFile); ok && flag&experimental.O_TRUNC != 0 {
					contents[file.node] = nil
				}
			case closes:
				if len(files) > 0 {
					i := int(script[1]) % len(files)
					files[i].Close()
					files = slices.Delete(files, i, i+1)
				}
			case write:
				if file == nil {
					break
				}
				text := bytes.Repeat([]byte{script[2] | 1}, size)
				offset := int(script[2]) * 10
				if n, errno := file.Pwrite(text, int64(offset)); errno == 0 && n == size && size > 0 {
					content := contents[file.node]
					content = append(content, make([]byte, max(0, offset+size-len(content)))...)
					copy(content[offset:], text)
					contents[file.node] = content
				}
			case truncate:
				if file != nil && file.Truncate(int64(size)) == 0 {
					content := contents[file.node]
					contents[file.node] = append(slices.Clone(content[:min(size, len(content))]),
						make([]byte, max(0, size-len(content)))...)
				}
			case mkdir:
				d.Mkdir(name, 0)
			case unlink:
				d.Unlink(name)
			case rmdir:
				d.Rmdir(name)
			case rename:
				d.Rename(name, other)
			case list:
				folder, errno := d.OpenFile(name, experimental.O_RDONLY|experimental.O_DIRECTORY, 0)
				if errno != 0 {
					break
				}
				entries, _ := folder.Readdir(-1)
				if !slices.IsSortedFunc(entries,
					func(a, b experimental.Dirent) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) }) {
					t.Errorf("%s lists %v", name, entries)
				}
				folder.Close()
			}

			there := map[*node]bool{}
			var visit func(*node)
			visit = func(n *node) {
				if there[n] {
					t.Fatal("a folder is in two places")
				}
				there[n] = true
				for _, e := range n.entries {
					if e.parent != n {
						t.Fatal("a file does not know its folder")
					}
					visit(e)
				}
			}
			visit(d.root)
			for _, file := range files {
				switch file := file.(type) {
				case *openFile:
					there[file.node] = true
				case *openFolder:
					there[file.node] = true
				case *openDevice:
					there[file.node] = true
				}
			}
			bytesLeft, nodesLeft := 10_000, 6
			for n := range there {
				if n.preset || n == d.root {
					continue
				}
				nodesLeft--
				bytesLeft -= len(n.data)
				if n.kind == 0 && !bytes.Equal(n.data, contents[n]) {
					t.Fatalf("a file has %d bytes that are not the %d written", len(n.data), len(contents[n]))
				}
				if n.kind != 0 && n.kind != fs.ModeDir {
					t.Fatalf("somebody made a %v", n.kind)
				}
				if cap(n.data) > 2*len(n.data)+100 {
					t.Fatalf("a file of %d bytes takes %d", len(n.data), cap(n.data))
				}
			}
			if d.bytes != bytesLeft || d.nodes != nodesLeft || d.open != 4-len(files) || bytesLeft < 0 ||
				nodesLeft < 0 || d.open < 0 {
				t.Fatalf("%d bytes, %d files and %d openings left, by counting %d, %d and %d",
					d.bytes, d.nodes, d.open, bytesLeft, nodesLeft, 4-len(files))
			}
		}
	})
}
