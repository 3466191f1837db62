package compilelink_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/compilelink"
)

// TestTestProgram builds programs of tests for js and runs them under Node.
func TestTestProgram(t *testing.T) {
	tools := toolchain(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("Node.js is needed to run programs for js: ", err)
	}
	goroot, err := output(t.TempDir(), "go", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", "wasm_exec_node.js")
	const tests = `import ("fmt"; "testing")

func TestGood(*testing.T) {}
func Testify() {}
func TestBad(t *testing.T) { t.Error("bad") }
func BenchmarkNothing(b *testing.B) { for b.Loop() {} }
func FuzzSeed(f *testing.F) { f.Add(1); f.Fuzz(func(*testing.T, int) {}) }
func Example() { fmt.Println("b\na")
	// Unordered output:
	// a
	// b
}
func Example_silent() { fmt.Println("not run") }
`
	for name, c := range map[string]struct {
		body  string
		other string // in a file that is no test, none for ""
		exit  int
		says  []string
		not   string
	}{
		"all kinds": {tests, "", 1, []string{"--- PASS: TestGood", "--- FAIL: TestBad",
			"bad", "--- PASS: FuzzSeed", "--- PASS: Example", "FAIL"}, "not run"},
		"TestMain": {"import (\"os\"; \"testing\")\n\nfunc TestMain(m *testing.M) { println(\"before\"); " +
			"os.Exit(m.Run()) }\n\nfunc TestX(*testing.T) {}", "", 0,
			[]string{"before", "--- PASS: TestX"}, "FAIL"},
		"TestMain without an exit": {"import \"testing\"\n\nfunc TestMain(m *testing.M) { m.Run() }\n\nfunc " +
			"TestX(t *testing.T) { t.Fail() }", "", 1, []string{"--- FAIL: TestX"}, "ok"},
		"no test": {"var tests int", "", 0, []string{"no tests to run", "PASS"}, "FAIL"},
		"is a test": {"import \"testing\"\n\nfunc TestX(*testing.T) { println(testing.Testing()) }",
			"", 0, []string{"true"}, "false"},
		"a program beside it": {"import \"testing\"\n\nfunc TestX(*testing.T) { println(os) }",
			"import \"testing\"\n\nvar os, reflect, testdeps = \"mine\", 1, 2\n\nfunc main() {}\n\nfunc " +
				"TestNone(*testing.T) { println(\"not run\") }", 0, []string{"mine", "--- PASS: TestX"}, "not run"},
		"its module's name in a trace": {"import (\"runtime\"; \"testing\")\n\nfunc TestX(*testing.T) { pc, _, _, " +
			"_ := runtime.Caller(0); println(runtime.FuncForPC(pc).Name()) }", "", 0, []string{"play.TestX"},
			"main.TestX"},
	} {
		t.Run(name, func(t *testing.T) {
			p := program(c.body)
			p.Files["prog_test.go"] = p.Files["prog.go"]
			delete(p.Files, "prog.go")
			if c.other != "" {
				p.Files["other.go"] = []byte("package main\n\n" + c.other + "\n")
			}
			p.Test = true
			plan, ok := tools.Program(p)
			if !ok {
				t.Fatal("it is not built directly")
			}
			m := machine{t.TempDir(), tools.dir}
			if o, err := plan.Build(t.Context(), m); err != nil || !o.OK {
				t.Fatalf("%v\n%s", err, o.Output)
			}
			cmd := exec.CommandContext(t.Context(), node, runner, m.Path(compilelink.Binary), "-test.v")
			said, err := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != c.exit {
				t.Errorf("exit code %d, want %d: %v", got, c.exit, err)
			}
			for _, words := range c.says {
				if !strings.Contains(string(said), words) {
					t.Errorf("it does not say %q", words)
				}
			}
			if strings.Contains(string(said), c.not) {
				t.Errorf("it says %q", c.not)
			}
			if t.Failed() {
				t.Log(string(said))
			}
		})
	}
	p := program(tests)
	p.Test = true
	if _, ok := tools.Program(p); ok {
		t.Error("a program without tests is built as one with tests")
	}
	p.Files["x_test.go"] = []byte("package main_test\n")
	if _, ok := tools.Program(p); ok {
		t.Error("an external test package is built as the package itself")
	}
}
