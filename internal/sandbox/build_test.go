package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"onthestack/internal/execution"
	"onthestack/internal/sandbox/jail"
	"onthestack/internal/verdict"
)

// built is where the programs of testdata are built, once for all tests.
var built string

func TestMain(m *testing.M) {
	jail.Main()
	var err error
	if built, err = os.MkdirTemp("", "sandbox-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

var builds sync.Map // from a folder of testdata to a func() error

// build returns the binary of a folder of testdata, built for wasip1 as the runner builds programs: its tests where it
// is called files.
func build(t testing.TB, folder string) string {
	t.Helper()
	binary := filepath.Join(built, folder+".wasm")
	once, _ := builds.LoadOrStore(folder, sync.OnceValue(func() error {
		args := []string{"build", "-trimpath"}
		if folder == "files" {
			args = []string{"test", "-c", "-trimpath"}
		}
		args = append(args, "-ldflags=-s -w -X=runtime.defaultGOROOT=/usr/local/go", "-o", binary, "./testdata/"+folder)
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v\n%s", err, output)
		}
		return nil
	}))
	if err := once.(func() error)(); err != nil {
		t.Fatal(err)
	}
	return binary
}

// zones returns the time zone database of the Go release that runs the test.
func zones(t testing.TB) []byte {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(string(root[:len(root)-1]), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// runTest runs a part of a test binary.
func runTest(t testing.TB, r verdict.Runner, binary, part string) (*execution.TestRun, error) {
	t.Helper()
	program, err := r.Load(t.Context(), binary)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	return program.Run(t.Context(), part)
}
