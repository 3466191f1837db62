package escape

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestComplete compiles programs and looks up every line that the compiler
// prints in what Parse returns.
func TestComplete(t *testing.T) {
	needGo(t)
	for _, c := range captures {
		t.Run(c.file, func(t *testing.T) {
			checkComplete(t, compile(t, runtime.Version(), c.program, c.flags))
		})
	}
	files, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "test", "escape*.go"))
	if len(files) == 0 {
		t.Log("this Go distribution comes without its test folder: only the programs in testdata were looked at")
	}
	if testing.Short() {
		t.Logf("-short: %d of the Go distribution's own tests were left out", len(files))
		return
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("go", "build", "-o", os.DevNull, "-gcflags=-m=2", file)
			cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
			// Some of them are meant not to compile: that output counts too.
			out, err := cmd.CombinedOutput()
			if len(out) == 0 {
				t.Fatalf("%v prints nothing: %v", cmd.Args, err)
			}
			checkComplete(t, string(out))
		})
	}
}

// TestCompleteCaptured does the same with the outputs that are kept, also of
// releases other than this one.
func TestCompleteCaptured(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "output", "*.txt"))
	if err != nil || len(files) < len(captures) {
		t.Fatalf("%d captured outputs in testdata: run go test ./internal/escape -update", len(files))
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(b), "\n")
		t.Run(file, func(t *testing.T) { checkComplete(t, text) })
	}
}

// printed reads a line by rules of its own, not by the parser's.
var printed = regexp.MustCompile(`^(?:\./)?(.+?(?:\.go|>)):(\d+)(?::(\d+))?: ( *)(.*)$`)

// checkComplete looks every line of text up in what Parse makes of it, and
// every message and step that Parse makes up in text.
func checkComplete(t *testing.T, text string) {
	t.Helper()
	diagnostics, rest := Parse([]byte(text))
	at := make(map[string][]Diagnostic)
	for _, d := range diagnostics {
		p := spot(d.File, d.Line, d.Col)
		at[p] = append(at[p], d)
	}
	lines := len(rest)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") || slices.Contains(rest, line) {
			continue
		}
		lines++
		m := printed.FindStringSubmatch(line)
		if m == nil {
			if !continues(diagnostics, line) {
				t.Errorf("lost: %s", line)
			}
			continue
		}
		number, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		if !slices.ContainsFunc(at[spot(m[1], number, col)], func(d Diagnostic) bool { return says(d, m[5]) }) {
			t.Errorf("lost: %s", line)
		}
	}
	for _, d := range diagnostics {
		if first, _, _ := strings.Cut(d.Message, "\n"); !strings.Contains(text, first) {
			t.Errorf("made up: %s", d.Message)
		}
		for _, s := range d.Flow {
			if !strings.Contains(text, s.Text) {
				t.Errorf("made up: %s", s.Text)
			}
		}
		if Why(d) == "" {
			t.Errorf("no words for %s", d.Message)
		}
	}
	if lines == 0 {
		t.Error("the compiler said nothing: this checks nothing")
	}
}

func spot(file string, line, col int) string { return fmt.Sprint(file, ":", line, ":", col) }

// says reports whether a message is kept in d: as its own, as the header of its
// explanation, or as a step.
func says(d Diagnostic, message string) bool {
	if d.Message == message {
		return true
	}
	if header, ok := strings.CutSuffix(message, ":"); ok {
		if header == d.Message || header == Subject(d)+" escapes to heap in "+d.Func {
			return true
		}
	}
	return slices.ContainsFunc(d.Flow, func(s Step) bool {
		place := spot(s.File, s.Line, s.Col)
		if s.Col == 0 {
			place = fmt.Sprint(s.File, ":", s.Line)
		}
		return s.Text == strings.TrimSuffix(message, ":") || s.Text == message ||
			s.Text+" at "+place == message || s.Text+" at ./"+place == message
	})
}

func continues(diagnostics []Diagnostic, line string) bool {
	return slices.ContainsFunc(diagnostics, func(d Diagnostic) bool {
		return d.Kind == Note && strings.Contains(d.Message, "\n"+line)
	})
}
