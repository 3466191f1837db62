package heapprofile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/owncode/userpkg"
)

// TestConfigure tests which settings of a program are used: a program of strangers can have any.
func TestConfigure(t *testing.T) {
	for name, test := range map[string]struct {
		settings   map[string]string
		flags, env []string
		notes      int
	}{
		"none": {map[string]string{}, nil, nil, 0},
		"usual": {map[string]string{"-gcflags": "all=-N -l", "-race": "true", "GOAMD64": "v3", "GOEXPERIMENT": "x",
			"vcs": "git"}, []string{"-gcflags=all=-N -l", "-race"}, []string{"GOAMD64=v3", "GOEXPERIMENT=x"}, 0},
		"of strangers": {map[string]string{"-gcflags": "-cpuprofile=/etc/passwd", "-race": `a" -toolexec=x '`,
			"GOFLAGS": "-toolexec=x", "GOPROXY": "x", "GOTOOLCHAIN": "x"}, nil, nil, 1},
		"hidden": {map[string]string{"-gcflags": "-l -o=/etc/passwd"}, nil, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c, notes, err := (&Binary{settings: test.settings}).Configure(t.Context(), userpkg.Config{})
			slices.Sort(c.Env)
			if err != nil || !slices.Equal(c.Flags, test.flags) || !slices.Equal(c.Env, test.env) || len(notes) != test.notes {
				t.Errorf("%q, %q, %q, %v", c.Flags, c.Env, notes, err)
			}
		})
	}
}

// TestOpenBinary tests what is said of files that are no whole program of Go.
func TestOpenBinary(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"whole":     {program, ""},
		"half":      {program[:len(program)/2], "half is truncated or damaged: copy it again"},
		"beginning": {program[:100], "beginning is truncated or damaged: copy it again"},
		"empty":     {nil, "empty is truncated or damaged: copy it again"},
		"text":      {[]byte("package main\n"), "text is not a program that Go has built: name the one that was profiled"},
		"c":         {smallPrograms(0)["Mach-O arm64"], "c is not a program that Go has built"},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, test.text, 0o666); err != nil {
			t.Fatal(err)
		}
		b, err := OpenBinary(file)
		if err == nil {
			b.Close()
		}
		if err == nil && test.want != "" || err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if _, err := OpenBinary(dir); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := OpenBinary(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
