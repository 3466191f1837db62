package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

// A client is an editor with the files of a module.
type client struct {
	*jrpc2.Client
	t      *testing.T
	dir    string
	in     io.Closer
	ended  chan struct{} // closed when the server has ended
	polite bool

	mu          sync.Mutex
	diagnostics map[string][]diagnostic // by URI
	progress    []string                // kind and message
	created     []string                // tokens
	messages    []string
	edits       []workspaceEdit
}

// label is a module with a package that allocates for each label. The labels of the benchmark are longer than 15 bytes,
// since the runtime puts shorter ones into shared blocks.
var label = map[string]string{
	"go.mod": "module example.com/label\n\ngo 1.26.0\n",
	"label.go": `package label

import "strconv"

func Labels(name string, numbers []int) []string {
	var all []string
	for _, n := range numbers {
		all = append(all, name+" #"+strconv.Itoa(n))
	}
	return all
}
`,
	"label_test.go": `package label

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestLabels(t *testing.T) {
	if got := Labels("nut", []int{1, 2}); !slices.Equal(got, []string{"nut #1", "nut #2"}) {
		t.Errorf("got %q", got)
	}
}

// BenchmarkLabels writes a hundred labels.
func BenchmarkLabels(b *testing.B) {
	if file := os.Getenv("HANG"); file != "" {
		os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600)
		time.Sleep(time.Hour)
	}
	numbers := make([]int, 100)
	for b.Loop() {
		Labels("hexagonal nut, M6", numbers)
	}
}
`,
}

// connect starts a server for a new module, and a client that has said hello.
func connect(t *testing.T, options any) *client {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	c := &client{t: t, dir: dir, ended: make(chan struct{}), diagnostics: map[string][]diagnostic{}}
	for name, text := range label {
		c.write(name, text)
	}
	toServer, clientOut := io.Pipe()
	clientIn, fromServer := io.Pipe()
	c.in = clientOut
	go func() {
		defer close(c.ended)
		defer fromServer.Close()
		polite, err := Serve(context.Background(), toServer, fromServer, "test")
		if err != nil {
			t.Error(err)
		}
		c.polite = polite
	}()
	c.Client = jrpc2.NewClient(inOrder{channel.LSP(clientIn, clientOut), c.notified}, &jrpc2.ClientOptions{
		OnCallback: c.asked,
		OnCancel: func(cli *jrpc2.Client, rsp *jrpc2.Response) {
			cli.Notify(context.Background(), "$/cancelRequest", object{"id": json.RawMessage(rsp.ID())})
		},
	})
	t.Cleanup(func() {
		c.Close()
		c.wait()
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	var result struct {
		Capabilities struct {
			ExecuteCommandProvider struct{ Commands []string }
		}
	}
	c.call("initialize", object{
		"processId": os.Getpid(),
		"capabilities": object{
			"textDocument": object{"publishDiagnostics": object{"relatedInformation": true}},
			"window":       object{"workDoneProgress": true},
			"workspace":    object{"inlayHint": refresh{true}, "codeLens": refresh{true}},
		},
		"initializationOptions": options,
		"workspaceFolders":      []object{{"uri": uriOf(dir), "name": "module"}},
	}, &result)
	if got := len(result.Capabilities.ExecuteCommandProvider.Commands); got != 4 {
		t.Fatalf("%d commands", got)
	}
	c.tell("initialized", object{})
	return c
}

// wait waits until the server has ended.
func (c *client) wait() {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(time.Minute):
		c.t.Fatal("the server does not end")
	}
}

// inOrder is a channel that handles notifications itself. A jrpc2.Client handles each message on a goroutine of its
// own, so that it may handle a notification after an answer that was sent later.
type inOrder struct {
	channel.Channel
	notified func(method string, params json.RawMessage)
}

// Recv returns the next message that is not a notification.
func (c inOrder) Recv() ([]byte, error) {
	for {
		text, err := c.Channel.Recv()
		if err != nil {
			return nil, err
		}
		var message struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal(text, &message); err != nil {
			return nil, err
		}
		if message.Method == "" || message.ID != nil {
			return text, nil
		}
		c.notified(message.Method, message.Params)
	}
}

func (c *client) notified(method string, params json.RawMessage) {
	var p struct {
		URI         string
		Diagnostics []diagnostic
		Token       string
		Message     string
		Value       struct{ Kind, Message string }
	}
	if err := json.Unmarshal(params, &p); err != nil {
		c.t.Errorf("%s: %v", method, err)
	}
	if strings.Contains(string(params), os.Getenv("TMPDIR")) {
		c.t.Errorf("%s has the path of a temporary folder: %s", method, params)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch method {
	case "textDocument/publishDiagnostics":
		c.diagnostics[p.URI] = p.Diagnostics
	case "$/progress":
		if !slices.Contains(c.created, p.Token) {
			c.t.Errorf("progress of %q, which was not created", p.Token)
		}
		c.progress = append(c.progress, p.Value.Kind+" "+p.Value.Message)
	case "window/showMessage", "window/logMessage":
		c.messages = append(c.messages, p.Message)
	default:
		c.t.Errorf("unexpected %s", method)
	}
}

func (c *client) asked(_ context.Context, r *jrpc2.Request) (any, error) {
	var p struct {
		Token string
		Edit  workspaceEdit
	}
	if err := r.UnmarshalParams(&p); err != nil {
		c.t.Errorf("%s: %v", r.Method(), err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Method() {
	case "window/workDoneProgress/create":
		c.created = append(c.created, p.Token)
	case "workspace/applyEdit":
		c.edits = append(c.edits, p.Edit)
		return object{"applied": true}, nil
	case "workspace/inlayHint/refresh", "workspace/codeLens/refresh":
	default:
		c.t.Errorf("unexpected %s", r.Method())
	}
	return nil, nil
}

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.CallResult(c.t.Context(), method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) tell(method string, params any) {
	c.t.Helper()
	if err := c.Notify(c.t.Context(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) uri(name string) string { return uriOf(filepath.Join(c.dir, name)) }

func (c *client) write(name, text string) {
	c.t.Helper()
	name = filepath.Join(c.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		c.t.Fatal(err)
	}
}

// open opens a file of label.
func (c *client) open(name string) { c.openWith(name, label[name]) }

func (c *client) openWith(name, text string) {
	c.t.Helper()
	c.tell("textDocument/didOpen", object{"textDocument": object{"uri": c.uri(name), "version": 1, "languageId": "go",
		"text": text}})
}

// edit replaces all of a document, or the range if it has one.
func (c *client) edit(name string, at *span, text string) {
	c.t.Helper()
	c.tell("textDocument/didChange", object{"textDocument": object{"uri": c.uri(name), "version": 2},
		"contentChanges": []change{{at, text}}})
}

// execute executes a command and returns its error.
func (c *client) execute(ctx context.Context, command, benchmark string) error {
	return c.executeFor(ctx, command, "label_test.go", benchmark)
}

func (c *client) executeFor(ctx context.Context, command, name, benchmark string) error {
	_, err := c.Call(ctx, "workspace/executeCommand", object{"command": command,
		"arguments": []target{{c.uri(name), benchmark}}})
	return err
}

func (c *client) at(name string, from, to int) object {
	return object{"textDocument": object{"uri": c.uri(name)}, "position": position{Line: from},
		"range": span{position{Line: from}, position{Line: to}}}
}

// hints returns the hints of a file, as "line: label", with lines from 1.
func (c *client) hints(name string) (all []string) {
	c.t.Helper()
	var hints []inlayHint
	c.call("textDocument/inlayHint", c.at(name, 0, 1000), &hints)
	for _, h := range hints {
		all = append(all, fmt.Sprintf("%d: %s", h.Position.Line+1, h.Label))
	}
	return all
}

// lenses returns the titles of the lenses of a file.
func (c *client) lenses(name string) (all []string) {
	c.t.Helper()
	var lenses []codeLens
	c.call("textDocument/codeLens", c.at(name, 0, 0), &lenses)
	for _, l := range lenses {
		all = append(all, l.Command.Title)
	}
	return all
}

// actions returns the code actions on a line that begin with one of the kinds.
func (c *client) actions(name string, line int, kinds ...string) (all []codeAction) {
	c.t.Helper()
	params := c.at(name, line-1, line-1)
	params["context"] = object{"only": kinds}
	c.call("textDocument/codeAction", params, &all)
	return all
}

func (c *client) hover(name string, line int) string {
	c.t.Helper()
	var h *hover
	c.call("textDocument/hover", c.at(name, line-1, line-1), &h)
	if h == nil {
		return ""
	}
	return h.Contents.Value
}

// problems returns the diagnostics of a file, as "line: message". The server sends them before its next answer, and the
// client reads them in order.
func (c *client) problems(name string) (all []string) {
	c.t.Helper()
	c.hints(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.diagnostics[c.uri(name)] {
		all = append(all, fmt.Sprintf("%d: %s", d.Range.Start.Line+1, d.Message))
	}
	return all
}

// seen returns the progress that was shown, as lines of "kind message".
func (c *client) seen() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.progress, "\n")
}

func (c *client) want(what string, got []string, want ...string) {
	c.t.Helper()
	if !slices.Equal(got, want) {
		c.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
