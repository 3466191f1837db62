package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

// The limits for lsp. From a save to the hints it takes at most maxOverExplain times as long as explain. The server
// uses at most maxServerMemory MiB on a module of packages packages.
const (
	maxOverExplain  = 1.2
	maxServerMemory = 200
	packages        = 300
)

// BenchmarkEditorSave measures, in turn, explain on a large package after an edit, and the time from a save of such an
// edit to an editor's hints.
func BenchmarkEditorSave(b *testing.B) {
	const rounds = 5
	binary, module, edit := editedModule(b, b.TempDir())
	explain := func() { execute(b, module, nil, binary, "explain", "--bench", largeBench) }
	server := startServer(b, binary, map[string]any{"measureOnSave": true, "bench": largeBench})
	const shown = "roaring.go"
	server.open(filepath.Join(module, shown))
	save := func() {
		server.tell("textDocument/didSave", document(filepath.Join(module, "edit.go")))
		for range server.refreshed {
			hints := server.hints(filepath.Join(module, shown))
			if len(hints) > 0 && !strings.Contains(hints[0].Label, "stale") {
				return
			}
		}
	}
	for _, way := range []func(){explain, save} { // warms up: the first build compiles more
		edit()
		way()
	}
	var ratios []float64
	for b.Loop() {
		for range rounds {
			var times [2]time.Duration
			for i, way := range []func(){explain, save} {
				edit()
				start := time.Now()
				way()
				times[i] = time.Since(start)
			}
			ratios = append(ratios, times[1].Seconds()/times[0].Seconds())
			b.Logf("explain %v, from a save to the hints %v", times[0].Round(time.Millisecond),
				times[1].Round(time.Millisecond))
		}
	}
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	b.ReportMetric(ratio, "save/explain")
	if ratio > maxOverExplain {
		b.Errorf("hints take %.2f times as long as explain, more than %v", ratio, maxOverExplain)
	}
}

// BenchmarkEditorMemory measures the memory of the server, without the go command, on a generated module: all of its
// files are open, and its largest package, which imports all others, is measured along with some of them.
func BenchmarkEditorMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("NOT TESTED: the peak of a process's memory is read from /proc")
	}
	work := b.TempDir()
	binary, module := filepath.Join(work, "checkalloc"), filepath.Join(work, "module")
	buildChecker(b, binary)
	b.Setenv("GOWORK", "off")
	files := wideModule()
	lines := 0
	for name, text := range files {
		lines += strings.Count(text, "\n")
		name = filepath.Join(module, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	peak := 0
	for b.Loop() {
		server := startServer(b, binary, map[string]any{"benchtime": "100x"})
		for name := range files {
			if strings.HasSuffix(name, ".go") {
				server.open(filepath.Join(module, filepath.FromSlash(name)))
			}
		}
		for _, name := range []string{"all.go", "p0/p0.go", "p1/p1.go", "p2/p2.go", "p3/p3.go", "p4/p4.go", "all.go"} {
			name = filepath.Join(module, filepath.FromSlash(name))
			server.call("workspace/executeCommand", map[string]any{"command": "checkalloc.measure",
				"arguments": []any{map[string]string{"uri": uri(name)}}}, new(any))
			if len(server.hints(name)) == 0 {
				b.Errorf("%s has no hints", filepath.Base(name))
			}
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.pid))
		found := highest.FindSubmatch(status)
		if err != nil || found == nil {
			b.Fatalf("the peak of the server's memory: %v", err)
		}
		size, _ := strconv.Atoi(string(found[1]))
		peak = max(peak, size)
	}
	b.Logf("%d packages, %d lines: at most %d MiB in use", packages, lines, peak>>10)
	b.ReportMetric(float64(peak)/1024, "peak-MiB")
	if peak>>10 > maxServerMemory {
		b.Errorf("the server takes %d MiB, more than %d", peak>>10, maxServerMemory)
	}
}

// wideModule makes a module of many packages, each of which the first one imports. Each has a benchmark.
func wideModule() map[string]string {
	const functions = 20
	files := map[string]string{"go.mod": "module wide\n\ngo 1.26.0\n"}
	var imports, calls strings.Builder
	for i := range packages - 1 {
		name := fmt.Sprintf("p%d", i)
		var source strings.Builder
		fmt.Fprintf(&source, "package %s\n\nimport \"strconv\"\n\ntype Row struct {\n\tName string\n\tNext *Row\n}\n",
			name)
		for f := range functions {
			fmt.Fprintf(&source, `
// Rows%[1]d makes n rows, of which each has the next one.
func Rows%[1]d(n int) (first *Row, names []string) {
	for i := range n {
		first = &Row{Name: "row " + strconv.Itoa(1000+i), Next: first}
		names = append(names, first.Name)
	}
	if len(names) > %[1]d {
		sort := func(i, j int) bool { return names[i] < names[j] }
		sort(0, 1)
	}
	return first, names
}
`, f)
		}
		files[name+"/"+name+".go"] = source.String()
		files[name+"/"+name+"_test.go"] = "package " + name + "\n\nimport \"testing\"\n\nvar sink *Row\n\n" +
			"func BenchmarkRows(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink, _ = Rows1(10)\n\t}\n}\n"
		fmt.Fprintf(&imports, "\t\"wide/%s\"\n", name)
		fmt.Fprintf(&calls, "\t_, names%d := %s.Rows1(n)\n\tall = append(all, names%d...)\n", i, name, i)
	}
	files["all.go"] = "package wide\n\nimport (\n" + imports.String() + ")\n\nfunc All(n int) (all []string) {\n" +
		calls.String() + "\treturn all\n}\n"
	files["all_test.go"] = "package wide\n\nimport \"testing\"\n\nfunc BenchmarkAll(b *testing.B) {\n" +
		"\tfor b.Loop() {\n\t\tAll(10)\n\t}\n}\n"
	return files
}

// A client is an editor for a server that runs as a process.
type client struct {
	*jrpc2.Client
	b         *testing.B
	pid       int
	refreshed chan struct{} // receives when the server asks that the hints be read again
}

// startServer starts a server with initialization options, until the benchmark ends.
func startServer(b *testing.B, binary string, options map[string]any) *client {
	b.Helper()
	cmd := exec.Command(binary, "lsp")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c := &client{b: b, pid: cmd.Process.Pid, refreshed: make(chan struct{}, 1000)}
	c.Client = jrpc2.NewClient(channel.LSP(out, in), &jrpc2.ClientOptions{
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			if r.Method() == "workspace/inlayHint/refresh" {
				c.refreshed <- struct{}{}
			}
			return nil, nil
		},
	})
	b.Cleanup(func() {
		c.call("shutdown", nil, new(any))
		c.tell("exit", nil)
		if err := cmd.Wait(); err != nil {
			b.Errorf("the server: %v", err)
		}
	})
	refresh := map[string]bool{"refreshSupport": true}
	c.call("initialize", map[string]any{
		"processId": os.Getpid(), "initializationOptions": options,
		"capabilities": map[string]any{"workspace": map[string]any{"inlayHint": refresh}},
	}, new(any))
	c.tell("initialized", map[string]any{})
	return c
}

func (c *client) call(method string, params, result any) {
	c.b.Helper()
	if err := c.CallResult(context.Background(), method, params, result); err != nil {
		c.b.Fatalf("%s: %v", method, err)
	}
}

func (c *client) tell(method string, params any) {
	c.b.Helper()
	if err := c.Notify(context.Background(), method, params); err != nil {
		c.b.Fatalf("%s: %v", method, err)
	}
}

func (c *client) open(name string) {
	c.b.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		c.b.Fatal(err)
	}
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri(name), "version": 1,
		"languageId": "go", "text": string(text)}})
}

func (c *client) hints(name string) (hints []struct{ Label string }) {
	c.b.Helper()
	params := document(name)
	params["range"] = map[string]any{"end": map[string]int{"line": 1 << 20}}
	c.call("textDocument/inlayHint", params, &hints)
	return hints
}

func document(name string) map[string]any {
	return map[string]any{"textDocument": map[string]string{"uri": uri(name)}}
}

func uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String()
}
