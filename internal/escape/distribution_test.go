package escape

import (
	"fmt"
	goparser "go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestDistribution holds what Parse makes of -m=2 to what the compiler says with -m, on the Go distribution's own tests
// of escape analysis, each with the flags that its first line names: every diagnostic of -m is there, at its line and
// column, with its kind and message, and nothing else is but what -m=2 says beyond -m; see beyond.
func TestDistribution(t *testing.T) {
	needGo(t)
	files, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "test", "escape*.go"))
	if len(files) == 0 {
		t.Skip("NOT TESTED: this Go distribution comes without its folder test, so the compiler's own tests of " +
			"escape analysis are not here")
	}
	var imports []string
	for _, file := range files {
		imports = append(imports, importsOf(t, file)...)
	}
	archives := exported(t, imports)
	var sum tally
	t.Run("files", func(t *testing.T) {
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				limitCompiles(t)
				compare(t, &sum, archives, "p", append(firstLineFlags(t, file), file)...)
			})
		}
	})
	// Each kind occurs: where a release words one anew, this test would otherwise compare notes.
	for _, kind := range []Kind{Escape, Moved, Leak, Stays, Inline} {
		if sum.kinds[kind] == 0 {
			t.Errorf("no diagnostic of kind %s in %d files", kind, len(files))
		}
	}
	t.Logf("%d files, %s", len(files), &sum)
}

// TestDistributionPackages does the same on a package that nobody wrote for the purpose.
func TestDistributionPackages(t *testing.T) { testPackages(t, "bytes") }

// TestProofDistributionPackages does the same on larger packages.
func TestProofDistributionPackages(t *testing.T) { testPackages(t, "fmt", "encoding/json") }

func testPackages(t *testing.T, packages ...string) {
	needGo(t)
	if testing.Short() {
		t.Skip("NOT TESTED: reports on packages of the standard library, whose compilation takes long, with -short")
	}
	archives := exported(t, packages)
	var sum tally
	t.Run("packages", func(t *testing.T) {
		for _, pkg := range packages {
			t.Run(pkg, func(t *testing.T) {
				limitCompiles(t)
				args := []string{"-std"}
				for _, name := range goList(t, `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, pkg) {
					args = append(args, filepath.FromSlash(name))
				}
				compare(t, &sum, archives, pkg, args...)
			})
		}
	})
	t.Logf("%d packages, %s", len(packages), &sum)
}

// A remark is a diagnostic as far as -m and -m=2 have it in common.
type remark struct {
	file      string
	line, col int
	kind      Kind
	message   string
}

func (s remark) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", s.file, s.line, s.col, s.kind, s.message)
}

// compare compiles the files among args twice, and compares what is printed.
func compare(t *testing.T, sum *tally, archives, importPath string, args ...string) {
	t.Helper()
	short, long := compileWith(t, archives, importPath, "-m", args), compileWith(t, archives, importPath, "-m=2", args)
	want := map[remark]bool{}
	for line := range strings.Lines(short) {
		s, ok := readShort(strings.TrimSuffix(line, "\n"))
		if !ok {
			t.Errorf("-m prints a line without a place: %s", line)
		}
		want[s] = true
	}
	diagnostics, rest := Parse([]byte(long))
	// The code that the compiler generates for a range over a function has no position.
	rest = slices.DeleteFunc(rest, func(line string) bool { return strings.Contains(line, " capturing by ref: #") })
	if len(rest) > 0 {
		t.Errorf("not understood: %q", rest)
	}
	lines := map[string]bool{} // of -m=2, and what explanations begin with
	for line := range strings.Lines(long) {
		header, _ := strings.CutSuffix(strings.TrimSuffix(line, "\n"), ":")
		what, _, _ := cutLast(header, " in ")
		lines[header], lines[what] = true, true
	}
	got := map[remark]bool{}
	for _, d := range diagnostics {
		s := remark{d.File, d.Line, d.Col, d.Kind, plain(d.Message)}
		switch {
		case want[s]:
			if got[s] {
				t.Errorf("twice: %s", s)
			}
			got[s] = true
		case !beyond(d, want):
			t.Errorf("-m does not print %s", s)
		default:
			sum.add(d.Kind, true)
			if !lines[placed(d)+d.Message] {
				t.Errorf("-m=2 does not print %s", s)
			}
		}
	}
	for _, s := range slices.SortedFunc(maps.Keys(want),
		func(a, b remark) int { return strings.Compare(a.String(), b.String()) }) {
		sum.add(s.kind, false)
		if !got[s] {
			t.Errorf("lost: %s", s)
		}
	}
}

// plain is a message of -m=2 in the words of -m. There is one rule: -m=2 goes on behind "can inline F" with what that
// costs, and with F's body. ("with cost", or "with score" under the experiment newinliner.)
func plain(message string) string {
	if rest, ok := strings.CutPrefix(message, "can inline "); ok {
		if i := inlineCost.FindStringIndex(rest); i != nil {
			return "can inline " + rest[:i[0]]
		}
	}
	return message
}

var inlineCost = regexp.MustCompile(` with (cost|score) -?\d+ as: `)

// beyond reports whether only -m=2 prints d, and -m does not:
//
//   - "cannot inline F: why", and that a function is too big for much to be inlined into it,
//   - how a closure captures a variable,
//   - what the body of a b.Loop keeps alive,
//   - an explanation for which -m has no line about the same subject at the same position.
//
// The explanations of the last kind are, according to the compiler's escape.go, about parameters of wrappers and of
// instances of generic functions, parameters without pointers, closures that the compiler itself makes (for a go or
// defer statement, or a generic function used as a value), and anything in a wrapper, whose position is
// <autogenerated>:1.
func beyond(d Diagnostic, want map[remark]bool) bool {
	switch {
	case strings.HasPrefix(d.Message, "cannot inline "), strings.HasPrefix(d.Message, "function ") &&
		strings.Contains(d.Message, " considered 'big'; "):
		return d.Kind == Inline
	case strings.Contains(d.Message, " capturing by ref: "), strings.Contains(d.Message, " capturing by value: "),
		strings.HasSuffix(d.Message, " will be kept alive"), d.Message == "expr is unknown to bloop pass":
		return d.Kind == Note
	case len(d.Flow) == 0:
		return false
	case d.Kind == Leak:
		name := strings.Fields(d.Message)[1]
		for s := range want {
			at := s.file == d.File && s.line == d.Line && s.col == d.Col
			if at && aboutParameter.MatchString(s.message) &&
				strings.HasSuffix("."+name, "."+strings.Fields(aboutParameter.ReplaceAllString(s.message, ""))[0]) {
				return false
			}
		}
		return strings.HasPrefix(d.Message, "parameter ")
	case d.Kind == Escape:
		return d.Message == "func literal escapes to heap" || d.File == autogenerated
	}
	return false
}

var aboutParameter = regexp.MustCompile(`^(leaking param|leaking param content|moved to heap): `)

var shortLine = regexp.MustCompile(`^(.+?(?:\.go|>)):(\d+)(?::(\d+))?: (.*)$`)

// readShort reads a line of -m by rules of its own, not by the parser's.
func readShort(line string) (s remark, ok bool) {
	m := shortLine.FindStringSubmatch(line)
	if m == nil {
		return s, false
	}
	s.file, s.message, s.kind = m[1], m[4], Note
	s.line, _ = strconv.Atoi(m[2])
	s.col, _ = strconv.Atoi(m[3])
	for _, k := range shortKinds {
		if k.words.MatchString(s.message) {
			s.kind = k.kind
			break
		}
	}
	return s, true
}

// shortKinds are the words of -m about memory and inlining.
var shortKinds = []struct {
	words *regexp.Regexp
	kind  Kind
}{
	{regexp.MustCompile(`^moved to heap: \S+$`), Moved},
	{regexp.MustCompile(`^leaking param( content)?: \S+( to result \S+ level=\d+)?$`), Leak},
	{regexp.MustCompile(`^(can inline|inlining call to) `), Inline},
	{regexp.MustCompile(` escapes to heap$`), Escape},
	{regexp.MustCompile(` does not escape(, mutate, or call)?$`), Stays},
}

func placed(d Diagnostic) string {
	if d.Col == 0 {
		return fmt.Sprintf("%s:%d: ", d.File, d.Line)
	}
	return fmt.Sprintf("%s:%d:%d: ", d.File, d.Line, d.Col)
}

// A tally counts what was compared.
type tally struct {
	mu     sync.Mutex
	kinds  map[Kind]int // diagnostics of -m
	beyond int          // what -m=2 said beyond them
}

func (t *tally) add(kind Kind, beyond bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if beyond {
		t.beyond++
		return
	}
	if t.kinds == nil {
		t.kinds = map[Kind]int{}
	}
	t.kinds[kind]++
}

func (t *tally) String() string {
	return fmt.Sprintf("diagnostics of -m by kind: %v; beyond them: %d", t.kinds, t.beyond)
}

// compileWith returns what "go tool compile" prints.
func compileWith(t *testing.T, archives, importPath, m string, args []string) string {
	t.Helper()
	var out strings.Builder
	// Two at a time are all that two processors take: -c=1 keeps each to one.
	args = append([]string{"tool", "compile", "-c=1", "-p=" + importPath, "-importcfg=" + archives, "-o",
		os.DevNull, m}, args...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

var errorcheck = regexp.MustCompile(`^// (errorcheck|run)\b(.*)$`)

// firstLineFlags returns the flags that a test of the distribution names, without -m, which is compare's, and -0, which
// is its runner's own: it says that the file compiles.
func firstLineFlags(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	m := errorcheck.FindStringSubmatch(first)
	if m == nil {
		t.Fatalf("%s begins with %q: teach this test what that asks for", file, first)
	}
	return slices.DeleteFunc(strings.Fields(m[2]), func(flag string) bool { return flag == "-m" || flag == "-0" })
}

func importsOf(t *testing.T, file string) (imports []string) {
	t.Helper()
	syntax, err := goparser.ParseFile(token.NewFileSet(), file, nil, goparser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, path)
	}
	return imports
}

// exported writes an importcfg with all that packages need to be compiled against, and returns its name.
func exported(t *testing.T, packages []string) string {
	t.Helper()
	slices.Sort(packages)
	packages = slices.DeleteFunc(slices.Compact(packages), func(p string) bool { return p == "unsafe" })
	lines := goList(t, `{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}`,
		append([]string{"-export", "-deps"}, packages...)...)
	// Packages of the standard library import vendored ones by their path without the folder.
	for _, line := range lines {
		path, _, _ := strings.Cut(strings.TrimPrefix(line, "packagefile "), "=")
		if strings.HasPrefix(path, "vendor/") {
			lines = append(lines, "importmap "+strings.TrimPrefix(path, "vendor/")+"="+path)
		}
	}
	name := filepath.Join(t.TempDir(), "importcfg")
	write(t, name, strings.Join(lines, "\n")+"\n")
	return name
}

// goList runs "go list" and returns the lines that it prints.
func goList(t *testing.T, format string, args ...string) []string {
	t.Helper()
	var failed strings.Builder
	cmd := exec.Command("go", append([]string{"list", "-f", format}, args...)...)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, &failed)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// compiling bounds how many compilers run at a time.
var compiling = make(chan struct{}, 2)

func limitCompiles(t *testing.T) {
	t.Helper()
	t.Parallel()
	compiling <- struct{}{}
	t.Cleanup(func() { <-compiling })
}
