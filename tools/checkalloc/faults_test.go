package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// oddModule is a txtar archive of a module with a benchmark that measures one allocation. Tests replace its files, or
// the word ODD in the benchmark, with faulty code.
const oddModule = `
-- go.mod --
module example.com/m

go 1.22
-- m.go --
package m

func F(n int) []byte { return make([]byte, n) }
-- m_test.go --
package m

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

var sink []byte

//checkalloc:allocs<=1
func BenchmarkF(b *testing.B) {
	ODD
	for i := 0; i < b.N; i++ {
		sink = F(64)
	}
}

var _, _, _ = fmt.Sprint, os.Exit, strings.Repeat
`

// The commands that the tests below run in a module, by name.
var oddCommands = map[string][]string{
	"explain":     {"explain"},
	"escape":      {"escape"},
	"escape file": {"escape", "m.go"},
	"compare":     {"compare", "--base", "HEAD", "--count", "1"},
	"guard":       {"guard"},
}

// An answer is the exit code of a command, and what its output has to match.
type answer struct {
	code int
	says string // a regular expression
}

// fine has the answers of commands without a fault.
var fine = map[string]answer{
	"explain":     {0, `BenchmarkF +1 alloc/op`},
	"escape":      {0, `3 │ func F(?s:.*)the slice's array moves to the heap`},
	"escape file": {0, `3 │ func F(?s:.*)the slice's array moves to the heap`},
	"compare":     {0, `Every line allocates as before`},
	"guard":       {0, `1 budget holds, 0 do not`},
}

// all returns the same answer for all commands except the ones in but.
func all(a answer, but map[string]answer) map[string]answer {
	answers := map[string]answer{}
	for name := range oddCommands {
		answers[name] = a
	}
	maps.Copy(answers, but)
	return answers
}

// measuring returns answers for the commands that run a benchmark; escape runs none.
func measuring(explain, compare, guard string) map[string]answer {
	answers := maps.Clone(fine)
	answers["explain"] = answer{3, explain}
	answers["compare"] = answer{3, compare}
	answers["guard"] = answer{1, guard + `(?s:.*)0 budgets hold, 0 do not, 1 is in error`}
	return answers
}

// TestNightlyOdd runs each command on modules with faults. The exit code is right, the message names the position, no
// temporary file is named or left, and no file is changed.
func TestNightlyOdd(t *testing.T) {
	ended := func(how string) map[string]answer {
		return measuring(how, `working tree was not measured: its benchmark stage failed(?s:.*)`+how,
			`m_test.go:12: //checkalloc:allocs<=1: not checked: BenchmarkF was not measured\s+│ `+how)
	}
	broken := func(place, how string) map[string]answer {
		return measuring(`it does not build with go(?s:.*)`+place+`:\d+  `+how,
			`working tree was not measured: its build stage failed(?s:.*)`+place+`: `+how, place+`: .*`+how)
	}
	compiles := func(answers map[string]answer, says string) map[string]answer {
		answers["escape"], answers["escape file"] = answer{3, says}, answer{3, says}
		return answers
	}
	benchmark := func(text string) string {
		return strings.ReplaceAll(oddModule[strings.Index(oddModule, "-- m_test.go"):], "ODD", text)
	}
	const newer = `go.mod requires go >= 1\.99`
	for _, odd := range []struct {
		name    string
		files   string   // replace the module's files; an empty one is removed
		flags   []string // of commands that measure
		answers map[string]answer
	}{
		{"nothing", "", nil, fine},
		{"no Go file", "-- m.go --\n-- m_test.go --\n-- text --\nx\n", nil, map[string]answer{
			"explain":     {2, `\.: no Go files in`},
			"escape":      {2, `\.: no Go files in`},
			"escape file": {2, `m\.go: no such file`},
			"compare":     {2, `\.: no Go package in this folder`},
			"guard":       {2, `no package matches \./\.\.\.`},
		}},
		{"no module", "-- go.mod --\n", nil,
			all(answer{2, `no go\.mod here or in a folder above: "go mod init NAME" makes a module`},
				map[string]answer{"escape file": fine["escape file"]})},
		{"a module file that cannot be read", "-- go.mod --\nmodule example.com/m\nnonsense\n", nil,
			all(answer{3, `go\.mod:2: unknown directive: nonsense`}, nil)},
		{"a module of a newer Go", "-- go.mod --\nmodule example.com/m\n\ngo 1.99\n", nil, all(answer{3, newer}, nil)},
		{"two packages", "-- other.go --\npackage other\n", nil, map[string]answer{
			"explain":     {3, `found packages m \(m\.go\) and other \(other\.go\)`},
			"escape":      {3, `found packages m \(m\.go\) and other \(other\.go\)`},
			"escape file": fine["escape file"],
			"compare":     {3, `found packages m \(m\.go\) and other \(other\.go\)`},
			"guard": {3, `m_test\.go:12: //checkalloc:allocs<=1: not checked: found packages(?s:.*)checkalloc: ` +
				`example\.com/m: found packages`},
		}},
		{"an empty file", "-- empty.go --\n \n", nil, map[string]answer{
			"explain":     {3, `\.: empty\.go:\d:\d: expected 'package', found 'EOF'`},
			"escape":      {3, `\.: empty\.go:\d:\d: expected 'package', found 'EOF'`},
			"escape file": fine["escape file"],
			"compare":     {3, `\.: empty\.go:\d:\d: expected 'package', found 'EOF'`},
			"guard": {3, `m_test\.go:12: .* not checked: empty\.go:\d:\d: expected 'package'(?s:.*)checkalloc: ` +
				`example\.com/m: empty\.go`},
		}},
		{"a syntax error", "-- m.go --\npackage m\n\nfunc F(n int) []byte { return make([]byte n) }\n", nil,
			compiles(broken(`m\.go:3`, `syntax error: unexpected name n`),
				`it does not compile:\sm\.go:3:43: syntax error`)},
		{"a syntax error in a test", benchmark("("), nil, func() map[string]answer {
			a := broken(`m_test\.go:15`, `expected operand, found 'for'`)
			a["guard"] = answer{1, `m_test\.go:15: its directives cannot be read: expected operand, found 'for'`}
			return a
		}()},
		{"a type error", "-- m.go --\npackage m\n\nfunc F(n int) []byte { return \"x\" }\n", nil,
			compiles(broken(`m\.go:3`, `cannot use "x"`), `it does not compile:\sm\.go:3:31: cannot use "x"`)},
		{"a type error in a test", benchmark("b = 3"), nil, broken(`m_test\.go:14`, `cannot use 3`)},
		{"a package that is missing", "-- m.go --\npackage m\n\nimport _ \"example.com/nowhere\"\n\n" +
			"func F(n int) []byte { return make([]byte, n) }\n", nil,
			compiles(broken(`m\.go:3`, `no required module provides package example\.com/nowhere`),
				`m\.go:3:8: no required module provides package example\.com/nowhere`)},
		// If a benchmark panics, package testing unblocks the measuring goroutine before the panic ends the program, so
		// the program may end first.
		{"a panic", benchmark(`panic("oh no")`), nil,
			ended(`the program ended in BenchmarkF \(exit code 2\)(?s:.*)panic: oh no(?s:.*)m_test\.go:14`)},
		{"a panic before", "-- init_test.go --\npackage m\n\nfunc init() { panic(\"oh no\") }\n", nil,
			ended(`the program ended before its benchmarks began \(exit code 2\): look\s+into TestMain and ` +
				`init(?s:.*)panic: oh no`)},
		{"a benchmark that hangs", benchmark("select {}"), []string{"--timeout", "3s"},
			ended(`BenchmarkF did not come to an end: the program ran for 3s without\s+ending a benchmark and ` +
				`was stopped`)},
		{"an exit", benchmark("os.Exit(0)"), nil, ended(`the program ended in BenchmarkF \(exit code 0\)`)},
		{"100 MiB", benchmark(`for i := 0; i < 100; i++ { fmt.Print(strings.Repeat("x", 1<<20)) }`), nil,
			ended(`BenchmarkF did not come to an end: the program printed more than 64\s+MiB and was stopped`)},
		{"another folder", benchmark(`if err := os.Chdir(os.TempDir()); err != nil { b.Fatal(err) }`), nil, fine},
	} {
		t.Run(odd.name, func(t *testing.T) {
			t.Parallel()
			dir := newOddModule(t, odd.files)
			for _, name := range slices.Sorted(maps.Keys(oddCommands)) {
				args := oddCommands[name]
				if !strings.HasPrefix(name, "escape") {
					args = slices.Concat(args, odd.flags)
				}
				call{t: t, dir: dir, args: args}.expect(odd.answers[name])
			}
		})
	}
}

// TestProofOddGo runs the commands without Go, and with a release that is too old.
func TestProofOddGo(t *testing.T) {
	t.Parallel()
	dir := newOddModule(t, "")
	tools := t.TempDir()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skipf("NOT TESTED: commands without Go on PATH, some of which need git: %v", err)
	}
	if err := os.Symlink(git, filepath.Join(tools, filepath.Base(git))); err != nil {
		t.Skipf("NOT TESTED: commands without Go on PATH. This user may not make symbolic links: %v", err)
	}
	for _, args := range oddCommands {
		call{t: t, dir: dir, args: args, env: []string{"PATH=" + tools}}.expect(answer{3,
			`the go command is not on PATH: install Go`})
	}
	for _, old := range []struct{ release, says string }{
		{"go1.20.14", `go1\.20\.14 is too old: install Go 1\.21 or newer`},
		{"go1.4.3", `this Go is too old: install Go 1\.21 or newer`},
	} {
		// The releases that "make history" downloads.
		root := filepath.Join(strings.TrimSpace(output(t, "go", "env", "GOMODCACHE")), "golang.org",
			"toolchain@v0.0.1-"+
				old.release+"."+runtime.GOOS+"-"+runtime.GOARCH)
		if _, err := os.Stat(filepath.Join(root, "bin")); err != nil {
			t.Logf("NOT TESTED: %s is not on this machine", old.release)
			continue
		}
		path := "PATH=" + filepath.Join(root, "bin") + string(filepath.ListSeparator) + tools
		for _, name := range []string{"explain", "compare", "guard", "escape"} {
			want := answer{3, old.says}
			if name == "guard" && old.release == "go1.20.14" {
				want.says = `m_test\.go:12: .*` + want.says
			}
			call{t: t, dir: dir, args: oddCommands[name], env: []string{path, "GOTOOLCHAIN=local",
				"GOROOT="}}.expect(want)
		}
	}
}

// TestOddExercise checks a solution of each kind of fault by watch, and for documents for graders: without a file, not
// compiling, not ending, and not allowed.
func TestOddExercise(t *testing.T) {
	testOddExercise(t, "no Go file", "a syntax error", "a test that hangs", "an exit")
}

// TestProofOddExercise does the same for the other faults. Documents for graders run the solution on WebAssembly, which
// takes seconds to compile.
func TestProofOddExercise(t *testing.T) {
	testOddExercise(t, "a type error", "a panic", "100 MiB", "another folder")
}

// testOddExercise tests the named faults.
func testOddExercise(t *testing.T, names ...string) {
	solution := func(imports, body string) string {
		return "package sum\n\nimport (" + imports + ")\n\nfunc Digits(numbers []int) int {\n\t" + body +
			"\n\treturn 0\n}\n"
	}
	const notAllowed = `import .{1,6}os.{1,6} is not allowed here`
	for i, odd := range []struct{ name, text, says string }{
		{"no Go file", "", `sum\.go.*this file is missing`},
		{"a syntax error", solution("", "("), `syntax error`},
		{"a type error", solution("", `numbers = "x"`), `cannot use`},
		{"a panic", solution("", `panic("oh no")`), `oh no`},
		{"a test that hangs", solution("", "for {}"), `ran longer than 1s`},
		{"an exit", solution(`"os"`, "os.Exit(0)"), notAllowed},
		{"100 MiB", solution("", `const s = "`+strings.Repeat("x", 1<<10)+`"; for range 100 << 10 { println(s) }`),
			`printed more than \d+ MiB`},
		{"another folder", solution(`"os"`, `os.Chdir(os.TempDir())`), notAllowed},
	} {
		if !slices.Contains(names, odd.name) {
			continue
		}
		t.Run(odd.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := layFixture(root); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, "ws")
			file := filepath.Join(dir, "exercises", "exercise6", "sum.go")
			if err := os.WriteFile(file, []byte(odd.text), 0o666); err != nil {
				t.Fatal(err)
			}
			if odd.text == "" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			env := []string{"CATALOG=" + filepath.Join(root, "catalog"), "PATIENCE=1s"}
			format := []string{"junit", "gradescope", "exercism"}[i%3]
			call{t: t, dir: dir, args: []string{"exercise6", "--format", format}, env: env}.expect(answer{1, odd.says})
			watched := call{t: t, dir: dir, args: []string{"watch", "--json", "exercise6"}, env: env}
			watched.until = func(stdout string) bool { return strings.Contains(stdout, "\n") }
			watched.expect(answer{0, `"pass":false(?s:.*)(` + odd.says + `)`})
		})
	}
}

// newOddModule makes a git repository with the module without a fault, and then replaces files by the files of the
// archive odd.
func newOddModule(t *testing.T, odd string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not on PATH")
		}
		t.Skip("NOT TESTED: this test makes a repository, and git is not on PATH")
	}
	dir := t.TempDir()
	lay := func(archive string) {
		for _, f := range txtar.Parse([]byte(archive)).Files {
			name := filepath.Join(dir, filepath.FromSlash(f.Name))
			var err error
			if len(f.Data) == 0 {
				err = os.Remove(name)
			} else {
				err = os.WriteFile(name, f.Data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	lay(strings.ReplaceAll(oddModule, "ODD", ""))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", slices.Concat([]string{"-C", dir, "-c", "user.name=a", "-c",
			"user.email=a@example.com",
			"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	lay(odd)
	return dir
}

// A call is a call of checkalloc in a process of its own, in the folder dir.
type call struct {
	t    *testing.T
	dir  string
	args []string
	env  []string
	// until says from the output so far when to send the signal; nil sends none.
	until  func(stdout string) bool
	signal os.Signal // nil is os.Interrupt
	// wrap changes how the command is run.
	wrap func(*exec.Cmd)
	tmp  string // a folder for temporary files; "" for a new one
}

// expect proves the answer of a call, and that the call left and named no temporary file and changed no file.
func (c call) expect(want answer) (stdout string) {
	c.t.Helper()
	stdout, said, code := c.run()
	what := fmt.Sprintf("checkalloc %s", strings.Join(c.args, " "))
	if code != want.code {
		c.t.Errorf("%s: exit code %d, want %d", what, code, want.code)
	}
	if !regexp.MustCompile(want.says).MatchString(said) {
		c.t.Errorf("%s: %q is not in", what, want.says)
	}
	if c.t.Failed() {
		c.t.Logf("%s:\n%.3000s", what, said)
	}
	return stdout
}

// named matches names that no reader must see.
var named = regexp.MustCompile(`(checkalloc-(build|run|base|copy)-|go-build)\d|checkallocharness|zz_checkalloc|go ` +
	`list: exit status`)

func (c call) run() (stdout, said string, code int) {
	c.t.Helper()
	program, err := exec.LookPath("checkalloc")
	if err != nil {
		c.t.Fatal(err)
	}
	if c.tmp == "" {
		c.tmp = filepath.Join(c.t.TempDir(), "tmp")
		if err := os.Mkdir(c.tmp, 0o777); err != nil {
			c.t.Fatal(err)
		}
	}
	before := snapshot(c.t, c.dir)
	var out, complaints safe
	cmd := exec.Command(program, c.args...)
	cmd.Dir = c.dir
	cmd.Env = slices.Concat(os.Environ(), []string{"TMPDIR=" + c.tmp, "TMP=" + c.tmp, "TEMP=" + c.tmp, "PWD=" + c.dir,
		"GITHUB_ACTIONS=", "GOFLAGS=", "GOWORK=off",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}, c.env)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if c.wrap != nil {
		c.wrap(cmd)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	if c.until != nil {
		deadline := time.Now().Add(time.Minute)
		for !c.until(out.String()) && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if !time.Now().Before(deadline) {
			c.t.Errorf("checkalloc %s does not reach the point at which to interrupt it", c.args)
		}
		signal := c.signal
		if signal == nil {
			signal = os.Interrupt
		}
		cmd.Process.Signal(signal)
		// A busy machine takes its time, but an interrupt that is ignored must not end with the command's own work.
		ignored := time.AfterFunc(time.Minute, func() {
			c.t.Errorf("checkalloc %s goes on for a minute after it was interrupted", c.args)
			cmd.Process.Kill()
		})
		defer ignored.Stop()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	stdout, said = out.String(), out.String()+complaints.String()
	if after := snapshot(c.t, c.dir); !maps.Equal(before, after) {
		for name, is := range after {
			if before[name] != is {
				c.t.Errorf("%s: %s, was %s", name, is, before[name])
			}
		}
		c.t.Errorf("checkalloc %s changed the folder: %d files, were %d", c.args, len(after), len(before))
	}
	c.clean(said)
	return stdout, said, cmd.ProcessState.ExitCode()
}

// clean proves that no temporary file is left, and none is named in the output.
func (c call) clean(said string) {
	c.t.Helper()
	left, err := os.ReadDir(c.tmp)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, entry := range left {
		c.t.Errorf("checkalloc %s left %s", c.args, entry.Name())
	}
	if found := named.FindString(said); found != "" {
		c.t.Errorf("checkalloc %s shows %s:\n%s", c.args, found, said)
	}
}

// A safe is a buffer that is safe for concurrent use.
type safe struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *safe) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *safe) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// snapshot returns the mode, time and checksum of everything in a folder, by path. The folder with the progress in
// exercises is left out.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.Name() == ".checkalloc":
			return fs.SkipDir
		case name == dir && filepath.Base(dir) == "ws": // its time changes when .checkalloc is made
			return nil
		case entry.Type().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			all[name] = fmt.Sprintf("%v %x %v", info.Mode(), sha256.Sum256(text), info.ModTime())
		default:
			all[name] = fmt.Sprintf("%v %v", info.Mode(), info.ModTime())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
