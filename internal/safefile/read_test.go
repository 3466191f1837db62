package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An entry is what the tests put below a folder: a file with text, a symbolic link, or a folder. HERE in a link stands
// for the folder's absolute path.
type entry struct{ name, text, link string }

var entries = []entry{
	{name: "plain", text: "text"},
	{name: "empty"},
	{name: "sub/deep/file", text: "deep"},
	{name: "inside", link: "sub/deep/file"},
	{name: "twice", link: "inside"},
	{name: "sub/up", link: "../plain"},
	{name: "folder", link: "sub"},
	{name: "relative", link: "../outside/secret"},
	{name: "absolute", link: "HERE/../outside/secret"},
	{name: "absolute-inside", link: "HERE/plain"},
	{name: "parent", link: ".."},
	{name: "foreign", link: "../outside"},
	{name: "chain", link: "relative"},
	{name: "out-and-in", link: "../base/plain"},
	{name: "nowhere", link: "missing"},
	{name: "circle", link: "round"},
	{name: "round", link: "circle"},
	{name: "../outside/secret", text: "secret"},
}

// lay makes the entries and opens their folder.
func lay(t *testing.T) (root *os.Root, dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "base")
	for _, e := range entries {
		name := filepath.Join(dir, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if e.link != "" {
			err = os.Symlink(filepath.FromSlash(strings.ReplaceAll(e.link, "HERE", dir)), name)
		} else {
			err = os.WriteFile(name, []byte(e.text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

// refused checks that err is a Refused for name that says why, and that it shows no path of this machine.
func refused(t *testing.T, err error, name, why, dir string) {
	t.Helper()
	var r *Refused
	if !errors.As(err, &r) || r.Name != name || !strings.Contains(r.Why, why) {
		t.Fatalf("%v, want %s refused because it %s", err, name, why)
	}
	if strings.Contains(err.Error(), dir) {
		t.Errorf("%v: shows where the folder is", err)
	}
}

const (
	leads   = "is a symbolic link that leads out of its folder"
	circles = "is a symbolic link that leads in a circle"
)

// TestRead reads every kind of file, by the name that a caller uses for it.
func TestRead(t *testing.T) {
	root, dir := lay(t)
	const limit = 4
	for _, c := range []struct {
		file string
		want string // the text, unless there is an error
		why  string // of a Refused
		err  error
	}{
		{file: "plain", want: "text"}, // as many bytes as the limit
		{file: "empty"},
		{file: "sub/deep/file", want: "deep"},
		{file: "sub/../plain", want: "text"},
		{file: "./plain", want: "text"},
		{file: "inside", want: "deep"},
		{file: "twice", want: "deep"},
		{file: "sub/up", want: "text"},
		{file: "folder/deep/file", want: "deep"},

		{file: "relative", why: leads},
		{file: "absolute", why: leads},
		{file: "absolute-inside", why: leads},
		{file: "out-and-in", why: leads},
		{file: "chain", why: leads},
		{file: "parent", why: leads},
		{file: "foreign/secret", why: leads},
		{file: "parent/outside/secret", why: leads},
		{file: "../outside/secret", why: "leads out"},
		{file: "sub/../../outside/secret", why: "leads out"},
		{file: filepath.Join(dir, "plain"), why: "leads out"},

		{file: "circle", why: circles},
		{file: "sub", why: "is a folder, not a file"},
		{file: "folder", why: "is a folder, not a file"},
		{file: ".", why: "is a folder, not a file"},
		{file: "missing", err: fs.ErrNotExist},
		{file: "missing/file", err: fs.ErrNotExist},
		{file: "nowhere", err: fs.ErrNotExist},
	} {
		t.Run(strings.ReplaceAll(c.file, dir, "HERE"), func(t *testing.T) {
			const name = "exercises/exercise6/file.go"
			text, err := Read(root, filepath.FromSlash(c.file), name, limit)
			switch {
			case c.why != "":
				refused(t, err, name, c.why, dir)
			case c.err != nil:
				if !errors.Is(err, c.err) {
					t.Errorf("%v, want %v", err, c.err)
				}
			case err != nil || string(text) != c.want:
				t.Errorf("%q, %v; want %q", text, err, c.want)
			}
			if err != nil && text != nil {
				t.Errorf("%q beside an error", text)
			}
		})
	}
	_, err := Read(root, "plain", "plain", limit-1)
	refused(t, err, "plain", "has more than", dir)
	// A file where the path has a folder is an error of the system's, which calls the file as the caller does.
	if _, err := Read(root, filepath.Join("plain", "file"), "a.go", limit); err == nil || !strings.Contains(err.Error(),
		"a.go") || strings.Contains(err.Error(), "plain") {
		t.Errorf("below a file: %v", err)
	}
}

// TestReadFile names a file by its folder.
func TestReadFile(t *testing.T) {
	_, dir := lay(t)
	if text, err := ReadFile(dir, "plain", 4); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	_, err := ReadFile(dir, "relative", 4)
	refused(t, err, "relative", leads, dir)
	if _, err := ReadFile(filepath.Join(dir, "missing"), "plain", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestStat follows links that stay inside, and describes what they lead to.
func TestStat(t *testing.T) {
	root, dir := lay(t)
	for file, isDir := range map[string]bool{"plain": false, "inside": false, "folder": true, "sub": true} {
		if info, err := Stat(root, file, file); err != nil || info.IsDir() != isDir || info.Mode()&fs.ModeSymlink != 0 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	for file, why := range map[string]string{"foreign": leads, "absolute": leads, "circle": circles} {
		_, err := Stat(root, file, "x/"+file)
		refused(t, err, "x/"+file, why, dir)
	}
	if _, err := Stat(root, "nowhere", "nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

// TestFolder opens folders, and follows no link to one.
func TestFolder(t *testing.T) {
	root, dir := lay(t)
	for _, c := range []struct {
		dir  string
		name string // of what is refused, "" for a folder that opens
		why  string
	}{
		{"sub", "", ""},
		{"sub/deep", "", ""},
		{"folder", "folder", "is a symbolic link, not a folder"},
		{"folder/deep", "folder", "is a symbolic link, not a folder"},
		{"foreign", "foreign", "is a symbolic link, not a folder"},
		{"parent/outside", "parent", "is a symbolic link, not a folder"},
		{"circle", "circle", "is a symbolic link, not a folder"},
		{"plain", "plain", "is a file, not a folder"},
		{"sub/deep/file", "sub/deep/file", "is a file, not a folder"},
	} {
		t.Run(c.dir, func(t *testing.T) {
			folder, err := Folder(root, c.dir)
			if c.name != "" {
				refused(t, err, c.name, c.why, dir)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			want, err := os.Stat(filepath.Join(dir, filepath.FromSlash(c.dir)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := folder.Stat("."); err != nil || !os.SameFile(got, want) {
				t.Errorf("another folder is opened: %v", err)
			}
		})
	}
	if _, err := Folder(root, "sub/missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	for _, out := range []string{"..", "../outside", "sub/../../outside"} {
		if folder, err := Folder(root, out); err == nil {
			folder.Close()
			t.Errorf("%s is opened", out)
		}
	}
}

func TestKind(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		0o644:                             "file",
		fs.ModeDir | 0o755:                "folder",
		fs.ModeSymlink | 0o777:            "symbolic link",
		fs.ModeNamedPipe:                  "named pipe",
		fs.ModeSocket:                     "socket",
		fs.ModeDevice | fs.ModeCharDevice: "device",
		fs.ModeDevice:                     "device",
		fs.ModeIrregular:                  "special file",
	} {
		if got := kind(mode); got != want {
			t.Errorf("%v is a %s, want %s", mode, got, want)
		}
	}
}
