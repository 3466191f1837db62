package main

import (
	"bufio"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestProofConsoleBlocks runs each "$ go …" command that the book shows in a console block, in the order of the pages,
// at the root of a copy of what they need: the commands of a page leave files for the next.
func TestProofConsoleBlocks(t *testing.T) {
	root := filepath.Join("..", "..")
	work := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(work, "book"), goFiles{os.DirFS(filepath.Join(root, "book"))}); err != nil {
		t.Fatal(err)
	}
	summary, err := os.ReadFile(filepath.Join(root, "book", "SUMMARY.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range pages(string(summary)) {
		text, err := os.ReadFile(filepath.Join(root, "book", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range consoleCommands(string(text)) {
			if !strings.HasPrefix(command, "go ") {
				t.Errorf("%s: a console block shows %q: only go commands are run, so only these may stand there", page,
					command)
				continue
			}
			ran++
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = work
			// Benchmarks without -benchtime run for a short time here. make test has vetted the listings.
			cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -benchtime=50ms -vet=off -ldflags=-w")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", page, command, err, out)
			}
		}
	}
	if ran == 0 {
		t.Error("the book shows no command: was SUMMARY.md parsed?")
	}
	left, err := os.ReadDir(work)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		known := slices.Contains([]string{"go.mod", "go.sum", "book", "mem.out", "cpu.out", "old.txt", "new.txt"},
			entry.Name()) || path.Ext(entry.Name()) == ".test"
		if !known {
			t.Errorf("a command leaves %s behind, which .gitignore does not match: pass it -o %s", entry.Name(),
				os.DevNull)
		}
	}
}

// pages returns the files that SUMMARY.md links, in its order.
func pages(summary string) []string {
	var names []string
	for _, part := range strings.Split(summary, "](")[1:] {
		name, _, _ := strings.Cut(part, ")")
		names = append(names, name)
	}
	return names
}

// consoleCommands returns the commands after "$ " in console blocks, and those whose output a directive shows.
func consoleCommands(text string) []string {
	var commands []string
	inside := false
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := strings.TrimLeft(lines.Text(), " ") // a block may be part of a list
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside && strings.TrimSpace(line) == "```console"
		case strings.HasPrefix(line, "{{#output "):
			for _, q := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(line, -1) {
				command, _ := strconv.Unquote(q) // a directive has the same escapes
				commands = append(commands, command)
			}
		case inside:
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				for strings.HasSuffix(command, `\`) && lines.Scan() {
					command += "\n" + lines.Text()
				}
				commands = append(commands, command)
			}
		}
	}
	return commands
}

// goFiles is a file system of Go files, and of the drawings and pages that tests of listings read.
type goFiles struct{ fs.FS }

func (g goFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(g.FS, name)
	var kept []fs.DirEntry
	for _, e := range entries {
		if e.IsDir() && e.Name() != "widgets" && e.Name() != "measured" || slices.Contains([]string{".go", ".svg", ".md"},
			path.Ext(e.Name())) {
			kept = append(kept, e)
		}
	}
	return kept, err
}
