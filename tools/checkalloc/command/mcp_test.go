package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"onthestack/internal/escape"
	"onthestack/internal/exercise"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
)

// An assistant is a client of a server in this process. Its calls fail the test if a result is too long or names a
// folder of this machine, and its end if a file in the root has changed.
type assistant struct {
	*testing.T
	session  *mcp.ClientSession
	root     string
	progress chan string
}

// newAssistant connects a client to a server of a folder with these files, in the format of txtar.
func newAssistant(t *testing.T, files string, change func(*toolServer)) *assistant {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "root")
	for _, f := range txtar.Parse([]byte(files)).Files {
		name := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if target, ok := bytes.CutPrefix(f.Data, []byte("link ")); ok {
			err = os.Symlink(string(bytes.TrimSpace(target)), name)
		} else {
			err = os.WriteFile(name, f.Data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(catalog, sandbox.CheckLimits(), "checkalloc", nil, io.Discard, io.Discard)
	s := &toolServer{cli: newCLI(a), root: root, timeout: time.Hour}
	if change != nil {
		change(s)
	}
	c := &assistant{T: t, root: root, progress: make(chan string, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.progress <- fmt.Sprint(r.Params.ProgressToken, " ", r.Params.Message)
		}})
	here, there := mcp.NewInMemoryTransports()
	server, err := s.newServer(t.Context()).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.session, err = client.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	before := c.files()
	t.Cleanup(func() {
		if err := c.session.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err != nil {
			t.Error(err)
		}
		if after := c.files(); !s.write && after != before {
			t.Errorf("the files were\n%s\nand are\n%s", before, after)
		}
	})
	return c
}

// files returns the names and texts of all files in the root.
func (c *assistant) files() string {
	var all strings.Builder
	err := filepath.WalkDir(c.root, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			text, _ := os.ReadFile(name)
			fmt.Fprintf(&all, "-- %s --\n%s", name, text)
		}
		return err
	})
	if err != nil {
		c.Error(err)
	}
	return all.String()
}

// call calls a tool, and decodes the structured content into out unless the result is an error.
func (c *assistant) call(tool string, arguments map[string]any, out any) (text string, failed bool) {
	c.Helper()
	r, err := c.begin(c.Context(), tool, arguments)
	if err != nil {
		c.Fatalf("%s %v: %v", tool, arguments, err)
	}
	text = r.Content[0].(*mcp.TextContent).Text
	content, err := json.Marshal(r.StructuredContent)
	if err != nil {
		c.Fatal(err)
	}
	if len(text) > maxText+100 || len(content) > 64<<10 {
		c.Errorf("%s %v: %d bytes of text, %d of content", tool, arguments, len(text), len(content))
	}
	result := text + string(content)
	for _, own := range arguments { // an error repeats them
		result = strings.ReplaceAll(result, fmt.Sprint(own), "")
	}
	for _, hidden := range []string{os.TempDir(), c.root, "checkalloc-build-"} {
		if strings.Contains(result, hidden) {
			c.Errorf("%s %v: the result has %s: %s\n%s", tool, arguments, hidden, text, content)
		}
	}
	if !r.IsError && out != nil {
		if err := json.Unmarshal(content, out); err != nil {
			c.Fatal(err)
		}
	}
	return text, r.IsError
}

// begin calls a tool with its name as the token of the progress.
func (c *assistant) begin(ctx context.Context, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken(tool)
	return c.session.CallTool(ctx, params)
}

// await waits for a message of progress.
func (c *assistant) await(want string) {
	c.Helper()
	for {
		select {
		case got := <-c.progress:
			if strings.Contains(got, want) {
				return
			}
		case <-time.After(5 * time.Minute):
			c.Fatalf("no message %q", want)
		}
	}
}

type arguments = map[string]any

const shop = `
-- go.mod --
module example.com/shop

go 1.26.0
-- label/label.go --
package label

import "strconv"

func Labels(numbers []int) []string {
	var all []string
	for _, n := range numbers {
		all = append(all, "number "+strconv.Itoa(n))
	}
	return all
}
-- label/label_test.go --
package label

import (
	"slices"
	"testing"
)

func TestLabels(t *testing.T) {
	if got := Labels([]int{1, 2}); !slices.Equal(got, []string{"number 1", "number 2"}) {
		t.Error(got)
	}
}

func BenchmarkLabels(b *testing.B) {
	numbers := []int{1000, 2000, 3000}
	for b.Loop() {
		Labels(numbers)
	}
}
-- broken/broken.go --
package broken

func one() int { return "1" }
-- hang/hang_test.go --
package hang

import (
	"testing"
	"time"
)

func BenchmarkHang(b *testing.B) { time.Sleep(time.Hour) }
-- alone.go --
package shop

var Kept *int

func Keep(n int) { Kept = &n }
-- out --
link ../outside
-- linked/linked.go --
link ../../outside/secret.go
-- deep/deep.go --
package deep

var Kept *int

func Keep(n int) { Kept = &n }
-- inside --
link deep
-- ../outside/secret.go --
package secret

var Secret = new(int)
`

// TestMCP calls the tools with what they can do and with mistakes.
func TestMCP(t *testing.T) {
	many := "-- many/many.go --\npackage many\n\nvar kept []*int\n\nfunc keep() {\n" +
		strings.Repeat("\tkept = append(kept, new(int))\n", 200) + "}\n"
	c := newAssistant(t, shop+many, nil)
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint || tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s: %+v", tool.Name, tool)
		}
	}
	if want := []string{"check_exercise", "escape", "explain", "profile", "suggest"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}

	var v shortVerdict
	text, failed := c.call("explain", arguments{"package": "./label", "top": 1}, &v)
	if failed || v.Schema != verdict.Schema || v.Package != "example.com/shop/label" || !v.Pass ||
		len(v.Benchmarks) != 1 || len(v.Allocations) != 1 || v.Allocations[0].Line != 8 || v.LeftOut["escapes"] == 0 {
		t.Errorf("%+v\n%s", v, text)
	}
	c.await("explain measuring example.com/shop/label")
	if want := "8 │         all = append(all,"; !strings.Contains(text, want) || !strings.Contains(text, "allocs/op") {
		t.Errorf("the text lacks %q:\n%s", want, text)
	}

	// A mistake in the code is a result, with the schema of all.
	text, failed = c.call("explain", arguments{"package": "./broken"}, &v)
	if failed || v.Pass || v.Stage != verdict.StageBuild || !strings.Contains(text, "broken.go:3") {
		t.Errorf("%+v\n%s", v, text)
	}

	for path, want := range map[string]string{"alone.go": "n moves to the heap", ".": "n moves to the heap",
		"./inside": "n moves to the heap", filepath.Join(c.root, "alone.go"): ""} {
		var report shortEscapes
		text, failed := c.call("escape", arguments{"path": path}, &report)
		if failed || len(report.Escapes) == 0 || !strings.Contains(text, want) {
			t.Errorf("%s: %+v\n%s", path, report, text)
		}
	}
	var report shortEscapes
	text, _ = c.call("escape", arguments{"path": "./many"}, &report)
	if !strings.HasSuffix(text, " more lines\n") || len(report.Escapes) != maxTop || report.LeftOut["escapes"] < 100 ||
		report.Escapes[0].Kind != escape.Escape {
		t.Errorf("%d of %d: %s", len(report.Escapes), report.LeftOut["escapes"], text)
	}

	const outside = "is outside of the folder that this server reads"
	for _, m := range []struct {
		tool string
		arguments
		want string
	}{
		{"explain", arguments{"package": "./out"}, outside},
		{"explain", arguments{"package": "../outside"}, outside},
		{"explain", arguments{"package": "../nowhere"}, outside},
		{"explain", arguments{"package": "strings"}, outside},
		{"explain", arguments{"package": "./linked"}, outside},
		{"escape", arguments{"path": "out/secret.go"}, outside},
		{"escape", arguments{"path": "linked/linked.go"}, outside},
		{"escape", arguments{"path": "./linked"}, outside},
		{"suggest", arguments{"package": "./out"}, outside},
		{"escape", arguments{"path": filepath.Join(filepath.Dir(c.root), "outside", "secret.go")}, outside},
		{"explain", arguments{"package": "./nowhere"}, "there is no such file or folder"},
		{"explain", arguments{"package": "example.com/nowhere"}, "example.com/nowhere"},
		{"explain", arguments{"package": "./..."}, outside}, // because of linked
		{"explain", arguments{"package": "-o=x"}, "there is no package of that name"},
		{"explain", arguments{"package": "alone.go"}, "alone.go is a file"},
		{"explain", arguments{"package": "./label", "bench": "("}, "missing closing )"},
		{"explain", arguments{"packag": "./label"}, "packag"},
		{"escape", arguments{"path": "nowhere.go"}, "there is no such file or folder"},
		{"escape", arguments{"path": "./broken"}, "it does not compile:\nbroken.go:3"},
		{"suggest", arguments{"package": "./broken"}, "example.com/shop/broken does not build: broken.go:3"},
		{"suggest", arguments{"package": "./label", "write": true}, "this server writes nothing"},
		{"check_exercise", arguments{"exercise": "exercise6"}, "the root is no workspace"},
		{"check_exercise", arguments{"exercise": "exercise0"}, "exercise0"},
		{"check_exercise", arguments{}, "exercise"},
	} {
		if text, failed := c.call(m.tool, m.arguments, nil); !failed || !strings.Contains(text, m.want) {
			t.Errorf("%s %v: error %v, want %q in\n%s", m.tool, m.arguments, failed, m.want, text)
		}
	}
}

// TestMCPExercise gets hints of an exercise, and the solution after a pass.
func TestMCPExercise(t *testing.T) {
	c := newAssistant(t, "", func(s *toolServer) {
		e, err := s.lookup("exercise6")
		if err == nil {
			_, err = workspace.Init(s.root, exercise.Catalog{e})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	all, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := all[slices.IndexFunc(all, func(e *exercise.Exercise) bool { return e.ID == "exercise6" })]
	const spoiler = "input.Read(window[held:])" // of the solution
	if !strings.Contains(string(e.Solution["stream.go"]), spoiler) {
		t.Fatalf("the solution lacks %q", spoiler)
	}
	for _, m := range []struct {
		tool string
		arguments
		want string
	}{
		{"check_exercise", arguments{"exercise": "exercise6", "hint": 2}, "the next hint of exercise6 is 1"},
		{"check_exercise", arguments{"exercise": "exercise6", "hint": 9}, "exercise6 has 4 hints"},
		{"suggest", arguments{"package": "./exercises/exercise6"}, "call check_exercise"},
		{"explain", arguments{"package": "onthestack/exercises/exercise6"}, "call check_exercise"},
		{"escape", arguments{"path": "exercises/exercise6/stream.go"}, "call check_exercise"},
	} {
		if text, failed := c.call(m.tool, m.arguments, nil); !failed || !strings.Contains(text, m.want) {
			t.Errorf("%s %v: error %v, want %q in\n%s", m.tool, m.arguments, failed, m.want, text)
		}
	}
	var v checkedExercise
	text, failed := c.call("check_exercise", arguments{"exercise": "exercise6", "hint": 1, "solution": true}, &v)
	if failed || v.Pass || v.Schema != verdict.Schema || v.Exercise != "exercise6" || len(v.Hints) != 1 ||
		!strings.Contains(text, "Hint 1 of 4") || strings.Contains(text, "Hint 2") || strings.Contains(text, spoiler) {
		t.Errorf("%+v\n%s", v, text)
	}
	c.await("check_exercise checking exercise6")
	if text, failed := c.call("check_exercise", arguments{"exercise": "exercise6", "hint": 3}, nil); !failed {
		t.Errorf("the third hint came after the first:\n%s", text)
	}
	stream := filepath.Join(c.root, "exercises", "exercise6", "stream.go")
	starter := e.Files["stream.go"]
	mine := strings.ReplaceAll(string(e.Solution["stream.go"]), "held", "have")
	if err := os.WriteFile(stream, []byte(mine), 0o666); err != nil {
		t.Fatal(err)
	}
	text, failed = c.call("check_exercise", arguments{"exercise": "exercise6", "hint": 2, "solution": true}, &v)
	if failed || !v.Pass || len(v.Hints) != 2 || !strings.Contains(text, spoiler) {
		t.Errorf("%+v\n%s", v, text)
	}
	if err := os.WriteFile(stream, starter, 0o666); err != nil { // as it was, for the comparison at the end
		t.Fatal(err)
	}
}

// TestMCPTurns cancels a call that hangs while another one waits for it, and reaches the time limit of a call.
func TestMCPTurns(t *testing.T) {
	c := newAssistant(t, shop, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error, 1)
	go func() {
		_, err := c.begin(ctx, "explain", arguments{"package": "./hang"})
		cancelled <- err
	}()
	c.await("explain measuring example.com/shop/hang")
	waited := make(chan string, 1)
	go func() {
		text, _ := c.call("escape", arguments{"path": "alone.go"}, nil)
		waited <- text
	}()
	c.await("escape waiting for another call")
	cancel()
	if err := <-cancelled; err == nil {
		t.Error("a call that was cancelled has a result")
	}
	if text := <-waited; !strings.Contains(text, "n moves to the heap") {
		t.Errorf("the call that waited has the result\n%s", text)
	}

	c = newAssistant(t, shop, func(s *toolServer) { s.timeout = 1 })
	if text, failed := c.call("escape", arguments{}, nil); !failed || !strings.Contains(text, "stopped after 1ns") {
		t.Errorf("error %v: %s", failed, text)
	}
}

// TestProofMCPSuggest proves edits, and writes them if both the user and the client have asked for that.
func TestProofMCPSuggest(t *testing.T) {
	for _, write := range []bool{false, true} {
		t.Run(fmt.Sprintf("write=%v", write), func(t *testing.T) {
			c := newAssistant(t, shop, func(s *toolServer) { s.write = write })
			var r shortSuggestions
			text, failed := c.call("suggest", arguments{"package": "./label", "write": write, "rejected": true}, &r)
			if failed || r.Schema != suggest.Schema || len(r.Suggestions) == 0 || r.Together == nil ||
				!strings.Contains(text, "proven") || !strings.Contains(text, "len(numbers)") {
				t.Errorf("%+v\n%s", r, text)
			}
			text, err := readText(filepath.Join(c.root, "label", "label.go"))
			if changed := strings.Contains(text, "len(numbers)"); err != nil || changed != write ||
				write != slices.Equal(r.Written, []string{"label.go"}) {
				t.Errorf("written %v\n%s", r.Written, text)
			}
		})
	}
}

func readText(name string) (string, error) {
	text, err := os.ReadFile(name)
	return string(text), err
}
