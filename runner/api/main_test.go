package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"onthestack/internal/exercise"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox/jail"
	"onthestack/runner/settings"
)

func TestMain(m *testing.M) {
	jail.Main()
	// The server formats programs by running its own executable, which is the test binary here.
	// It runs programs that take long in the same way.
	if code, ok := Process(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); ok {
		os.Exit(code)
	}
	if os.Getenv(runnerVariable) != "" {
		os.Exit(RunCommand(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(withServer(m))
}

// The server that tests share.
var (
	base    string // "http://127.0.0.1:41234"
	tempDir string // where it makes its folders
	dataDir string // where it builds; it keeps the compiled standard library from one run of the tests to the next
	logged  syncBuffer
)

func withServer(m *testing.M) int {
	var err error
	if tempDir, err = os.MkdirTemp("", "runner-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(tempDir)
	os.Setenv("TMPDIR", tempDir)
	caches, err := os.UserCacheDir()
	if err != nil {
		panic(err)
	}
	dataDir = filepath.Join(caches, "onthestack", "runner-test")
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		panic(err)
	}
	// The tests of package hostile use the folder too, and both check that nothing is left there.
	lock := flock.New(dataDir + ".lock")
	if err := lock.Lock(); err != nil {
		panic(err)
	}
	defer lock.Close()

	ctx, stop := context.WithCancel(context.Background())
	s, err := New(testSettings(2, 20), sealedExercises(), nil, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	base = "http://" + listener.Addr().String()
	built, ended := make(chan struct{}), make(chan error, 1)
	close(built)
	go func() { ended <- errors.Join(s.Serve(ctx, listener, nil, built), s.Close()) }()
	// Tests count goroutines, memory and folders, which compiling the standard library would change.
	for !logged.contains("the whole standard library is compiled") {
		if logged.contains("preparing the toolchain failed") {
			fmt.Println(logged.String())
			stop()
			return 1
		}
		time.Sleep(10 * time.Millisecond)
	}
	code := m.Run()
	stop()
	if err := <-ended; err != nil {
		fmt.Println("the server ended with an error:", err)
		return 1
	}
	return code
}

// testSettings returns settings with a time limit for programs that tests can wait for. A slow machine reaches no other
// limit by the clock.
func testSettings(concurrency, queue int) settings.Settings {
	// The tests expect the words of WebAssembly.
	args := []string{"--data", dataDir, "--snippets", "off", "--engine", settings.EngineWasm}
	set, err := settings.Runner.Parse(args, noEnvironment, io.Discard)
	if err != nil {
		panic(err)
	}
	set.Addr, set.Site, set.Concurrency, set.Queue = "127.0.0.1:0", filepath.Join("testdata", "site"), concurrency,
		queue
	set.BuildTime, set.RequestTime = outOfReach, outOfReach
	set.Program.Time, set.Check.Time = testProgramTime, outOfReach
	set.Program.Ready, set.Check.Ready = outOfReach, outOfReach
	return set
}

// outOfReach is a limit that even a busy machine does not reach.
const outOfReach = time.Hour

func noEnvironment(string) (string, bool) { return "", false }

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) contains(text string) bool { return strings.Contains(b.String(), text) }

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Keep-alive is off, so that no connection is left when goroutines are counted.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       10 * time.Minute, // a safety net: limits have tests of their own
}

// An answer is a response of the server.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request, to the shared server if the address has no host, and looks for paths of this machine in the
// answer.
func send(t testing.TB, method, address, contentType, body string) answer {
	t.Helper()
	if strings.HasPrefix(address, "/") {
		address = base + address
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	reply, err := client.Do(r)
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
			t.Errorf("%s %s: the answer shows %s of this machine:\n%s", method, address, path, text)
		}
	}
	if strings.Contains(string(text), "checkalloc-build-") || strings.Contains(string(text), "runner-test/") {
		t.Errorf("%s %s: the answer shows a build's folder:\n%s", method, address, text)
	}
	return answer{reply.StatusCode, reply.Header, string(text)}
}

// machinePaths are folders of this machine that no answer may contain.
var machinePaths = sync.OnceValue(func() []string {
	env, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		panic(err)
	}
	goroot := strings.TrimSpace(string(env))
	home, err := os.UserHomeDir()
	if err != nil {
		panic(err)
	}
	here, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	// With the separator, because the name of a home folder alone may be part of another word.
	paths := []string{tempDir, home + "/", filepath.Dir(here)}
	if goroot != "/usr/local/go" { // which programs have a folder of too
		paths = append(paths, goroot)
	}
	return paths
})

const formType = "application/x-www-form-urlencoded"

func postForm(t testing.TB, path string, form url.Values) answer {
	t.Helper()
	return send(t, "POST", path, formType, form.Encode())
}

// compile sends a program to /compile of the shared server, which must answer 200.
func compile(t testing.TB, program string, vet bool) programs.Response {
	t.Helper()
	return compileAt(t, base, program, vet)
}

func compileAt(t testing.TB, address, program string, vet bool) programs.Response {
	t.Helper()
	form := url.Values{"version": {"2"}, "body": {program}}
	if vet {
		form.Set("withVet", "true")
	}
	a := send(t, "POST", address+"/compile", formType, form.Encode())
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return decode[programs.Response](t, a)
}

func decode[T any](t testing.TB, a answer) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("the answer is not the JSON that was expected: %v\n%s", err, a.body)
	}
	return v
}

// wantError checks that the answer is an error with that status and text.
func wantError(t *testing.T, a answer, status int, text string) {
	t.Helper()
	message := decode[map[string]string](t, a)["error"]
	if a.status != status || !strings.Contains(message, text) {
		t.Errorf("status %d, error %q; want %d, %q", a.status, message, status, text)
	}
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

var sealedExercises = sync.OnceValue(func() exercise.Catalog {
	c, err := exercise.Sealed()
	if err != nil {
		panic(err)
	}
	return c
})
