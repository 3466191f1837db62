// Package hostile has no code: its tests send hostile programs to a server in a process of its own, and observe it only
// from outside, as an operator would. In make test they send one program for each limit that is soon reached, in make
// proof one for each time limit, and in make nightly all others, and all solutions to a server that checks as
// WebAssembly.
package hostile

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox/jail"
	"onthestack/runner/api"
	"onthestack/runner/command"
)

// serverVariable is set in the environment of a test binary that is the runner.
const serverVariable = "ONTHESTACK_HOSTILE_SERVER"

// dataDir is where the servers build. Package api's tests have the same folder, which keeps the compiled standard
// library from one run of the tests to the next.
var dataDir string

func TestMain(m *testing.M) {
	jail.Main()
	if os.Getenv(serverVariable) != "" || api.IsProcess(os.Args[1:]) {
		os.Exit(command.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		panic(err)
	}
	dataDir = filepath.Join(caches, "onthestack", "runner-test")
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		panic(err)
	}
	// Both packages check that nothing is left in the folder.
	lock := flock.New(dataDir + ".lock")
	if err := lock.Lock(); err != nil {
		panic(err)
	}
	code := m.Run()
	lock.Close()
	os.Exit(code)
}

// A syncBuffer has what a server logs.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// start starts the server's process, and waits until it serves.
func (r *target) start(t testing.TB, args ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.Cmd = exec.CommandContext(t.Context(), self, append([]string{"--data", dataDir, "--snippets", "off"}, args...)...)
	r.Env = append(os.Environ(), serverVariable+"=1")
	r.Stderr = &r.log
	out, err := r.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "serving the workbook at "); ok {
			r.at = strings.TrimSuffix(address, "/")
			return
		}
	}
	t.Fatalf("the server does not serve\n%s", &r.log)
}

func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// client has a timeout as a safety net: limits have tests of their own. Keep-alive is off, so that no connection is left
// when goroutines are counted.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Minute}

const formType = "application/x-www-form-urlencoded"

// An answer is a response of the server.
type answer struct {
	status int
	body   string
}

// read reads an answer, which must not show paths of this machine.
func read(t testing.TB, reply *http.Response, err error) answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range machinePaths() {
		if strings.Contains(string(text), path) {
			t.Errorf("the answer shows %s of this machine:\n%s", path, text)
		}
	}
	return answer{reply.StatusCode, string(text)}
}

// machinePaths has parts of paths of this machine.
var machinePaths = sync.OnceValue(func() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		panic(err)
	}
	here, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	// With the separator, because the name of a home folder alone may be part of another word.
	return []string{home + "/", filepath.Dir(here), "checkalloc-build-", filepath.Base(dataDir) + "/"}
})

func decode[T any](t testing.TB, a answer) (v T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("the answer is not the JSON that was expected: %v\n%s", err, a.body)
	}
	return v
}

// printed returns what a program printed.
func printed(r programs.Response, kinds ...string) string {
	var b strings.Builder
	for _, e := range r.Events {
		if slices.Contains(kinds, e.Kind) {
			b.WriteString(e.Message)
		}
	}
	return b.String()
}

// figures are the metrics of a server, each with its labels, such as `runner_builds_total{outcome="ok"}`.
type figures map[string]float64

func (r *target) metrics(t testing.TB) figures {
	t.Helper()
	reply, err := client.Get(r.at + "/metrics")
	all := figures{}
	for line := range strings.Lines(read(t, reply, err).body) {
		if at := strings.LastIndexByte(line, ' '); at > 0 && line[0] != '#' {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
			if err != nil {
				t.Fatal(err)
			}
			all[line[:at]] = value
		}
	}
	return all
}

// leftFolders returns the folders of builds and of formatting that still exist.
func leftFolders(t testing.TB) (all []string) {
	for _, pattern := range []string{"[0-9]*", "format-*"} {
		names, err := filepath.Glob(filepath.Join(dataDir, "builds", "*", pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, names...)
	}
	return all
}

const (
	hello      = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hi\") }\n"
	maxProgram = execution.MaxSource
)
