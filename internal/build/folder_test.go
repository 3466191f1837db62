package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// TestFolder proves that opening a folder removes the files of a process that was killed, and no file of one that runs.
func TestFolder(t *testing.T) {
	if held := os.Getenv("HOLD_FOLDER"); held != "" {
		// This is the process that the test below starts and kills.
		f, err := openFolder(held, "go1.2")
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(f.temp, "file"), nil, 0o600)
		os.Stdout.WriteString(f.temp + "\n")
		select {}
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestFolder$")
	cmd.Env = append(os.Environ(), "HOLD_FOLDER="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	theirs := string(line[:n-1])

	first, err := openFolder(dir, "go1.1")
	if err != nil {
		t.Fatal(err)
	}
	second, err := openFolder(dir, "go1.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{first.temp, first.cache, second.temp, filepath.Join(theirs, "file"),
		filepath.Join(dir, "cache", "go1.2")} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if err := second.close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()

	third, err := openFolder(dir, "go1.3")
	if err != nil {
		t.Fatal(err)
	}
	defer third.close()
	left := func(name string) []string {
		entries, err := os.ReadDir(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	// The cache that only the killed process used is removed, as are its builds.
	if got, want := left("cache"), []string{"go1.1", "go1.1.lock", "go1.3", "go1.3.lock"}; !slices.Equal(got, want) {
		t.Errorf("caches %v, want %v", got, want)
	}
	a, b := filepath.Base(first.temp), filepath.Base(third.temp)
	want := []string{a, a + lockSuffix, b, b + lockSuffix}
	slices.Sort(want)
	if got := left("builds"); !slices.Equal(got, want) {
		t.Errorf("builds %v, want %v", got, want)
	}
	if err := first.close(); err != nil {
		t.Error(err)
	}
}

func TestWithoutDirect(t *testing.T) {
	for _, c := range []struct{ proxy, want string }{
		{"https://m.example,direct", "https://m.example"},
		{"direct", "off"}, {"", "off"}, {"off", "off"}, {" direct ,https://a.b", "off"},
		{"https://a.b|https://c.d, direct", "https://a.b|https://c.d"},
		{"https://direct.org", "https://direct.org"}, {"https://a.b|direct|https://c.d", "https://a.b"},
	} {
		if got := withoutDirect(c.proxy); got != c.want {
			t.Errorf("%q: %q, want %q", c.proxy, got, c.want)
		}
	}
}

// FuzzUsesModules proves that usesModules does not panic.
func FuzzUsesModules(f *testing.F) {
	for _, text := range []string{"", "package main", "module m\n\ngo 1.26\n", "\x00", "package main\nimport \"os\"\n",
		"package main\nimport `\n", "package _\n"} {
		f.Add("prog.go", text, "go.mod", text)
	}
	archives, err := compilelink.List{Packages: []compilelink.Package{{Path: "os", Archive: "os.a"}}}.Archives([]string{"os"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, text, second, other string) {
		p := execution.Source{Files: map[string][]byte{name: []byte(text), second: []byte(other)}}
		if compilelink.Refuse(p) == "" {
			usesModules(p, archives)
		}
	})
}
