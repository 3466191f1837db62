package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

// TestNightlySame proves that the engine's compiler and linker do the same as the installed release's: for the same
// arguments they write the same archives, the same reports and the same program, byte for byte. The packages are of the
// standard library, exercises' starters and solutions, and a main package over the pack's archives.
func TestNightlySame(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("node is not on PATH: install Node.js 20 or newer (https://nodejs.org)")
	}
	g := installed(t)
	engine := filepath.Join(t.TempDir(), "engine")
	buildQuickly(t, engine)
	m := readManifest(t, engine)
	dir := t.TempDir()
	importcfg := unpack(t, filepath.Join(engine, m.Parts["std"].File), dir)

	native, err := g.run(t.Context(), dir, "env", "GOTOOLDIR")
	if err != nil {
		t.Fatal(err)
	}
	// tool runs the distribution's tool and the engine's, and returns the file that both write and the text that both
	// print.
	tool := func(name string, args ...string) ([]byte, string) {
		t.Helper()
		file := filepath.Join(dir, "out")
		var texts [2][]byte
		var words [2]string
		for i, command := range [][]string{
			{filepath.Join(strings.TrimSpace(string(native)), name)},
			{"node", "--stack-size=8192", filepath.Join(g.goroot, "lib", "wasm", "wasm_exec_node.js"),
				filepath.Join(engine, m.Parts[name].File)},
		} {
			os.Remove(file)
			cmd := exec.CommandContext(t.Context(), command[0], slices.Concat(command[1:], []string{"-o", file},
				args)...)
			cmd.Dir = dir
			// The environment is passed to the program through node, which limits its size.
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GOOS=js", "GOARCH=wasm", "GOROOT=", "TMPDIR=" + dir}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out.Bytes()[max(0, out.Len()-2000):])
			}
			words[i] = out.String()
			if texts[i], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s %v: the distribution's writes %d bytes, the engine's %d others", name, args,
				len(texts[0]), len(texts[1]))
		}
		if words[0] != words[1] {
			t.Errorf("%s %v: the outputs of the distribution's tool and the engine's differ:\n%s", name, args,
				firstDifference(words[0], words[1]))
		}
		return texts[0], words[0]
	}

	type unit struct {
		path  string
		flags []string
		files []string
	}
	var units []unit
	for _, path := range []string{"bytes", "fmt", "sort"} {
		out, err := g.run(t.Context(), dir, "list", "-f", "{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}", path)
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, unit{path, []string{"-std"}, strings.Fields(string(out))})
	}
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind string
		*exercise.Exercise
		edited map[string][]byte
	}{{"starter", catalog[0], nil}, {"solution", catalog[0], catalog[0].Solution}, {"solution", catalog[len(catalog)-1],
		catalog[len(catalog)-1].Solution}} {
		files := maps.Clone(c.Files)
		maps.Copy(files, c.edited)
		u := unit{path: c.ImportPath(), flags: []string{"-complete"}}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				u.files = append(u.files, filepath.Join(c.ID, c.kind, name))
				write(t, filepath.Join(dir, c.ID, c.kind, name), files[name])
			}
		}
		units = append(units, u)
	}
	for _, u := range units {
		_, report := tool("compile", slices.Concat([]string{"-trimpath", dir + "=>", "-p", u.path, "-lang=go1.26",
			"-dwarf=false", "-m=2", "-nolocalimports", "-importcfg", importcfg, "-pack"}, u.flags, u.files)...)
		if !strings.Contains(report, "escapes to heap") && !strings.Contains(report, "does not escape") &&
			!strings.Contains(report, "can inline") {
			t.Errorf("the report on %s is empty:\n%s", u.path, report)
		}
	}

	write(t, filepath.Join(dir, "main.go"),
		[]byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1.5, []string{\"a\"}) }\n"))
	archive, _ := tool("compile", "-p", "main", "-complete", "-dwarf=false", "-importcfg", importcfg, "-pack",
		"main.go")
	write(t, filepath.Join(dir, "main.a"), archive)
	for _, names := range [][]string{{"-s", "-w"}, nil} {
		args := slices.Concat([]string{"-importcfg", importcfg, "-buildmode=exe", "-buildid=x"}, names,
			[]string{"main.a"})
		program, _ := tool("link", args...)
		if !bytes.HasPrefix(program, []byte("\x00asm")) {
			t.Errorf("the program begins with %q", program[:4])
		}
	}
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i] + "\n" + bs[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(as), len(bs))
}

// unpack writes the archives of a pack into dir, and returns the importcfg file that lists them.
func unpack(t *testing.T, pack, dir string) string {
	t.Helper()
	text, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	var header packHeader
	if err := json.Unmarshal(line, &header); err != nil {
		t.Fatal(err)
	}
	var importcfg bytes.Buffer
	for _, p := range header.Packages {
		name := filepath.Join(dir, "archives", filepath.FromSlash(p.Path)+".a")
		write(t, name, rest[:p.Size])
		rest = rest[p.Size:]
		fmt.Fprintf(&importcfg, "packagefile %s=%s\n", p.Path, name)
	}
	if len(rest) > 0 {
		t.Errorf("%d bytes follow the last archive", len(rest))
	}
	name := filepath.Join(dir, "importcfg")
	write(t, name, importcfg.Bytes())
	return name
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
