package escape

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "run the compilers again and rewrite testdata's *.txt and *.golden")

// releases are the Go releases whose output is kept. What all of them print is kept once.
var releases = []string{"go1.26.8", "go1.27.0"}

// captures are the programs in testdata and how they are compiled.
var captures = []struct{ file, program, flags string }{
	{"stream", "stream", "-m=2"},
	{"stream-m", "stream", "-m"},
	{"stream-l", "stream", "-m=2 -l"},
	{"boxing", "boxing", "-m=2"},
	{"closures", "closures", "-m=2"},
	{"generic", "generic", "-m=2"},
	{"slices", "slices", "-m=2"},
}

// command is the line that heads a captured output and produces it again, run
// in the program's folder.
func command(flags string) string {
	return fmt.Sprintf("$ go build -trimpath '-gcflags=%s' .", flags)
}

// output returns the name, without an extension, of the files with what a release prints: files of its own if it prints
// something else than the first release.
func output(release, file string) string {
	base := filepath.Join("testdata", "output", file)
	if _, err := os.Stat(base + "-" + release + ".txt"); err == nil {
		return base + "-" + release
	}
	return base
}

// capture compiles a program with each release and writes what they print.
func capture(t *testing.T, file, program, flags string) {
	t.Helper()
	base := filepath.Join("testdata", "output", file)
	var first string
	for i, release := range releases {
		text := command(flags) + "\n" + compile(t, release, program, flags)
		own := base + "-" + release
		switch {
		case i == 0:
			first = text
			write(t, base+".txt", text)
		case text != first:
			write(t, own+".txt", text)
		default:
			for _, name := range []string{own + ".txt", own + ".golden"} {
				if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			}
		}
	}
}

// compile returns what the compiler of a release says of a program.
func compile(t *testing.T, release, program, flags string) string {
	t.Helper()
	cmd := exec.Command("go", "build", "-trimpath", "-gcflags="+flags, ".")
	cmd.Dir = filepath.Join("testdata", program)
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+release, "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s\nin %s: %v\n%s", release, command(flags), cmd.Dir, err, out)
	}
	return string(out)
}

func TestGolden(t *testing.T) {
	for _, c := range captures {
		if *update {
			capture(t, c.file, c.program, c.flags)
		}
		done := map[string]bool{}
		for _, release := range releases {
			base := output(release, c.file)
			if done[base] {
				continue
			}
			done[base] = true
			t.Run(filepath.Base(base), func(t *testing.T) {
				got := render(t, captured(t, base+".txt", command(c.flags)))
				if *update {
					write(t, base+".golden", got)
				}
				want, err := os.ReadFile(base + ".golden")
				if err != nil {
					t.Fatalf("%v\nrun go test ./internal/escape -update", err)
				}
				if got != string(want) {
					t.Errorf("differs from %s.golden: %s", base, firstDifference(got, string(want)))
				}
			})
		}
	}
}

// TestCapturedIsCurrent compares the captured output with what the running
// release prints today.
func TestCapturedIsCurrent(t *testing.T) {
	needGo(t)
	release := runtime.Version()
	if !slices.Contains(releases, release) {
		t.Logf("no output of %s in testdata (it has %s): nothing to compare", release, strings.Join(releases, ", "))
		return
	}
	for _, c := range captures {
		t.Run(c.file, func(t *testing.T) {
			want := captured(t, output(release, c.file)+".txt", command(c.flags))
			if got := compile(t, release, c.program, c.flags); got != want {
				t.Errorf("%s prints something else by now: %s\nrun go test ./internal/escape -update", release,
					firstDifference(got, want))
			}
		})
	}
}

// captured reads an output, less the command that heads it.
func captured(t *testing.T, file, command string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nrun go test ./internal/escape -update", err)
	}
	first, text, _ := strings.Cut(string(b), "\n")
	if first != command {
		t.Fatalf("%s begins with %q, want %q\nrun go test ./internal/escape -update", file, first, command)
	}
	return text
}

// render writes everything that Parse, Why and Reasons make of an output.
func render(t *testing.T, text string) string {
	t.Helper()
	diagnostics, rest := Parse([]byte(text))
	var b strings.Builder
	for _, d := range diagnostics {
		file := filepath.Base(d.File)
		fmt.Fprintf(&b, "%s:%d:%d %s: %s\n", file, d.Line, d.Col, d.Kind, d.Message)
		if d.Func != "" {
			fmt.Fprintf(&b, "\tin   %s\n", d.Func)
		}
		fmt.Fprintf(&b, "\twhy  %s\n", Why(d))
		for _, s := range Reasons(d) {
			fmt.Fprintf(&b, "\t%4d %s\n", s.Line, s.Message)
		}
		for _, s := range d.Flow {
			fmt.Fprintf(&b, "\t\t%s:%d:%d %s  [%s]\n", filepath.Base(s.File), s.Line, s.Col, s.Text, s.Message)
		}
	}
	for _, line := range rest {
		fmt.Fprintf(&b, "rest: %s\n", line)
	}
	return b.String()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, a, b)
		}
	}
	return "no line differs"
}

// needGo ends a test that runs the compiler where there is none, as inside a
// browser, and says so.
func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("NOT TESTED: this test runs the go command, which is not on PATH: %v", err)
	}
}

// TestLevel1 compares what Level1 makes of the report of -m=2 with the report of -m.
func TestLevel1(t *testing.T) {
	for _, release := range releases {
		var sets [2]map[string]bool
		for i, file := range []string{"stream", "stream-m"} {
			flags := []string{"-m=2", "-m"}[i]
			diagnostics, _ := Parse([]byte(captured(t, output(release, file)+".txt", command(flags))))
			if i == 0 {
				diagnostics = Level1(diagnostics)
			}
			sets[i] = map[string]bool{}
			for _, d := range diagnostics {
				sets[i][fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Col, d.Message)] = true
			}
		}
		if len(sets[0]) < 20 || !maps.Equal(sets[0], sets[1]) {
			t.Errorf("%s: of -m=2:\n%v\n-m:\n%v", release, sets[0], sets[1])
		}
	}
}
