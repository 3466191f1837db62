package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// mcp serves an assistant.
func (c *cli) mcp() spec {
	s := &toolServer{cli: c}
	return spec{
		use: "mcp", short: "let an assistant measure, through the Model Context Protocol",
		example: "checkalloc mcp --root shop", codes: "0 the client ended it · 2 wrong usage · 3 failed",
		complete: cobra.NoFileCompletions, noJSON: true,
		flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
			f.StringVar(&s.root, "root", "", "read packages in `DIR` alone (default: the current folder)")
			f.BoolVar(&s.write, "write", false, "let suggest write proven edits into the files, if it is asked to")
			f.DurationVar(&s.timeout, "timeout", 5*time.Minute, "stop a call after `TIME`")
			f.StringVar(&s.tags, "tags", "", "build with the tags in `LIST`, separated by commas")
			complete(cmd, "root", completeFolders)
		},
		do: s.serve,
	}
}

// A toolServer serves a client that calls tools; see mcptools.go for these.
type toolServer struct {
	*cli
	root    string        // the folder in which everything is that a client may name
	write   bool          // whether suggest may write
	timeout time.Duration // of a call
	tags    string

	slot  chan struct{}  // has room for one: only one call builds or measures at a time
	hints map[string]int // how many hints of an exercise the client has got; protected by slot
}

func (s *toolServer) serve(ctx context.Context, args []string) (int, error) {
	if err := s.checkClient("mcp", "an assistant", "With an assistant", args); err != nil {
		return 0, err
	}
	if s.timeout <= 0 {
		return 0, app.Usagef("--timeout %v: give a time longer than 0", s.timeout)
	}
	root, err := filepath.Abs(s.root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return 0, app.Usagef("--root: %v", err)
	}
	s.root = root
	defer limitMemory()()
	// A message is written at a time. Standard output stays open.
	out := struct {
		io.Writer
		io.Closer
	}{printable.JSON(s.Raw), io.NopCloser(nil)}
	transport := &mcp.IOTransport{Reader: io.NopCloser(s.In), Writer: out}
	return app.ExitPassed, s.newServer(ctx).Run(ctx, transport)
}

// instructions tell an assistant when to call the tools.
const instructions = "Which line of a Go program allocates depends on the release of Go, on inlining and on sizes " +
	"that only the running program knows. Measure before you say that code allocates or that an edit helps, and again " +
	"after the edit: explain measures a package, profile explains the heap profile of a running program, escape shows the " +
	"compiler's report, suggest proves edits. Quote the figures and reasons of the results."

// newServer returns a server of the tools. Its calls end when ctx does.
func (s *toolServer) newServer(ctx context.Context) *mcp.Server {
	s.slot, s.hints, s.Dir = make(chan struct{}, 1), map[string]int{}, s.root
	server := mcp.NewServer(&mcp.Implementation{Name: s.Name, Title: "On the Stack", Version: version()},
		&mcp.ServerOptions{Instructions: instructions,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	s.addTools(ctx, server)
	return server
}

// addTool adds a tool. Its calls have a time limit, run one at a time, and end when ctx or the client's request does.
func addTool[In, Out any](ctx context.Context, s *toolServer, server *mcp.Server, name, description string, writes bool,
	do func(context.Context, *toolCall, In) (Out, error)) {
	closed := false
	tool := &mcp.Tool{Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !writes, OpenWorldHint: &closed}}
	mcp.AddTool(server, tool, func(request context.Context, r *mcp.CallToolRequest, in In) (
		*mcp.CallToolResult, Out, error) {
		request, cancel := context.WithTimeoutCause(request, s.timeout,
			fmt.Errorf("the call was stopped after %v, which --timeout TIME changes: ask for less", s.timeout))
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		call := newToolCall(request, r)
		out, err := inTurn(request, s, call, func() (Out, error) { return do(request, call, in) })
		if err != nil && request.Err() != nil {
			err = context.Cause(request)
		}
		if err != nil {
			return nil, out, errors.New(s.errorText(err))
		}
		text := &mcp.TextContent{Text: shortText(call.text.String())}
		return &mcp.CallToolResult{Content: []mcp.Content{text}}, out, nil
	})
}

// inTurn calls do when no other call runs.
func inTurn[Out any](ctx context.Context, s *toolServer, call *toolCall, do func() (Out, error)) (out Out, err error) {
	select {
	case s.slot <- struct{}{}:
	default:
		call.line.Show("waiting for another call")
		select {
		case s.slot <- struct{}{}:
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
	defer func() { <-s.slot }()
	defer debug.FreeOSMemory() // the compiler's report can have many megabytes, and a client may stay for days
	return do()
}

// A toolCall is a call of a tool, which writes the text of the result to it.
type toolCall struct {
	io.Writer
	line *printable.StatusLine // shows the progress
	text strings.Builder
}

// textWidth is the width of the text of a result, in columns.
const textWidth = 100

func newToolCall(ctx context.Context, r *mcp.CallToolRequest) *toolCall {
	call := &toolCall{line: printable.NewStatusLine(io.Discard)}
	call.Writer = &colorprofile.Writer{Forward: printable.NewWriter(&call.text), Profile: colorprofile.NoTTY}
	if token := r.Params.GetProgressToken(); token != nil {
		p := mcp.ProgressNotificationParams{ProgressToken: token}
		call.line = printable.StatusFunc(func(text string) {
			p.Progress++
			p.Message = text
			_ = r.Session.NotifyProgress(ctx, &p) // of a client that is gone, the next message tells
		})
	}
	return call
}

// errorText returns the text of an error, without folders of this machine.
func (s *toolServer) errorText(err error) string {
	text := app.HideTempFiles(err).Error()
	return shortText(printable.Text(strings.ReplaceAll(text, s.root+string(filepath.Separator), "")))
}

// maxText bounds the text of a result, in bytes.
const maxText = 4000

// shortText leaves out lines at the end of a text that is too long, and says how many.
func shortText(text string) string {
	if len(text) <= maxText {
		return text
	}
	beginning := text[:strings.LastIndexByte(text[:maxText], '\n')+1]
	left := strings.Count(strings.TrimSuffix(text[len(beginning):], "\n"), "\n") + 1
	return beginning + "… " + present.Plural(left, "more line") + "\n"
}
