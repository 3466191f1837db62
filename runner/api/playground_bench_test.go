package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// playgroundVariable is the environment variable that names a folder with golang/playground's sources, which are not
// published as a module.
const playgroundVariable = "PLAYGROUND"

// maxToPlayground is the largest allowed ratio of /compile of hello world to the same request in golang/playground.
const maxToPlayground = 0.6

// BenchmarkPlayground compares /compile of hello world with golang/playground, built from its sources. Its sandbox,
// which needs Docker and gVisor, is replaced by a server that runs programs unsandboxed, which is faster.
func BenchmarkPlayground(b *testing.B) {
	sources := os.Getenv(playgroundVariable)
	if sources == "" {
		b.Skipf("NOT TESTED: set %s to a checkout of golang/playground to compare with it", playgroundVariable)
	}
	theirs := startPlayground(b, sources)
	ask := func(address string) {
		reply, err := http.PostForm(address+"/compile", url.Values{"body": {anotherHello()}})
		if err != nil {
			b.Fatal(err)
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		if err != nil || !strings.Contains(string(text), `"Hello`) {
			b.Fatalf("status %d, %v: %s", reply.StatusCode, err, text)
		}
	}
	const programs = 6
	some := func(address string) func() {
		return func() {
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() {
					for range programs {
						ask(address)
					}
				})
			}
			both.Wait()
		}
	}
	ours1, theirs1 := &timed{name: "/compile", run: func() { ask(base) }}, &timed{name: "golang/playground",
		run: func() { ask(theirs) }}
	ours2, theirs2 := &timed{name: "two clients, 12 programs", run: some(base)},
		&timed{name: "the same, theirs", run: some(theirs)}
	interleave(b, 9, ours1, theirs1, ours2, theirs2)
	atMost(b, "compile/theirs", ours1.over(theirs1), maxToPlayground)
	b.ReportMetric(2*programs/ours2.median().Seconds(), "programs/s")
	b.ReportMetric(2*programs/theirs2.median().Seconds(), "theirs/s")
}

// startPlayground builds golang/playground with this machine's Go in the places that it has fixed, and starts it.
func startPlayground(b *testing.B, sources string) (address string) {
	dir := b.TempDir()
	command := func(in string, env []string, name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	checkout, cache := filepath.Join(dir, "playground"), filepath.Join(dir, "gocache")
	if err := os.CopyFS(checkout, os.DirFS(sources)); err != nil {
		b.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(checkout, "sandbox.go")
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	places := strings.NewReplacer("/usr/local/go-faketime", strings.TrimSpace(string(goroot)), `"/gocache"`,
		fmt.Sprintf("%q", cache))
	if err := os.WriteFile(file, []byte(places.Replace(string(text))), 0o666); err != nil {
		b.Fatal(err)
	}
	binary := filepath.Join(dir, "server")
	command(checkout, []string{"GOFLAGS=-mod=mod", "GOWORK=off"}, "go", "build", "-o", binary, ".")
	command(dir, []string{"GOFLAGS=", "GOCACHE=" + cache, "CGO_ENABLED=0"}, "go", "build", "-tags=faketime", "fmt")

	backend := httptest.NewServer(http.HandlerFunc(unsandboxed))
	b.Cleanup(backend.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	cmd := exec.Command(binary)
	cmd.Dir = checkout
	// The playground asks the metadata server of the cloud that it may run in; nothing answers at this address.
	cmd.Env = append(os.Environ(), "PORT="+port, "SANDBOX_BACKEND_URL="+backend.URL, "GCE_METADATA_HOST=127.0.0.1:1")
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	address = "http://127.0.0.1:" + port
	for range 300 {
		if reply, err := http.Get(address + "/version"); err == nil {
			reply.Body.Close()
			return address
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatal("golang/playground does not start")
	return ""
}

// unsandboxed runs the program in the request's body, as the playground's sandbox would.
func unsandboxed(w http.ResponseWriter, r *http.Request) {
	file, err := os.CreateTemp("", "program-")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer os.Remove(file.Name())
	_, err = io.Copy(file, r.Body)
	file.Chmod(0o700)
	file.Close()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(r.Context(), file.Name(), r.Header["X-Argument"]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err == nil {
		cmd.Run()
	}
	json.NewEncoder(w).Encode(map[string]any{"exitCode": cmd.ProcessState.ExitCode(), "stdout": []byte(stdout.String()),
		"stderr": []byte(stderr.String())})
}
