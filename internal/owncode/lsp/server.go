// Package lsp is the server of "checkalloc lsp", which shows in any editor that speaks the Language Server Protocol
// which lines allocate, how much and why.
//
// Serve reads a client's messages (protocol.go) and keeps the documents that are open (documents.go) and the last
// figures of each package (figures.go). A package is measured when a command of the client's asks, or on save if the
// user wants that (measure.go), and never because a file was opened. Each answer is made from the last figures, moved to
// where the text is now: lenses.go, which has the hints too, hover.go, actions.go and diagnostics.go.
//
// The heap profile that a setting names is read when it changes (profile.go), and its figures are hints of their own
// (profilehints.go).
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
)

// A server is the state of one connection.
type server struct {
	version string
	rpc     *jrpc2.Server
	ctx     context.Context // until the connection ends
	stop    context.CancelFunc
	jobs    sync.WaitGroup
	slot    chan struct{} // has room for one: only one package is built or measured at a time

	mu       sync.Mutex // protects the fields below
	state    state
	client   initializeParams
	buffers  map[string]*buffer  // by file
	packages map[string]*figures // by folder
	order    []string            // the folders in packages, the oldest first
	running  map[string]*job     // by folder, or by the file of the profile
	tokens   int
	shown    map[string]string // the diagnostics that the client shows, by file
	profile  followed
}

const (
	maxRequests = 64 // at once; commands among them wait for their turn
	maxPackages = 64 // with figures; the first measured are forgotten first
)

type state int

const (
	starting state = iota
	initialized
	shutDown
)

// Serve answers the client on in and out until it says goodbye or closes in, as its end does, or until ctx is done. A
// measurement that is under way is then stopped, and its files are removed. Polite is true if the client asked for the
// end as the protocol says.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string) (polite bool, err error) {
	s := &server{
		version:  version,
		slot:     make(chan struct{}, 1),
		buffers:  map[string]*buffer{},
		packages: map[string]*figures{},
		running:  map[string]*job{},
		shown:    map[string]string{},
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	defer s.jobs.Wait()
	defer s.stop()
	// A read of a terminal or a pipe cannot be interrupted, so another goroutine reads, which ends with the process.
	from, to := io.Pipe()
	go func() {
		_, err := io.Copy(to, in)
		to.CloseWithError(err)
	}()
	s.rpc = jrpc2.NewServer(s.methods(), &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: maxRequests,
		NewContext: func() context.Context { return s.ctx },
	})
	s.rpc.Start(newChannel(from, out))
	context.AfterFunc(s.ctx, func() {
		to.Close()
		s.rpc.Stop()
	})
	status := s.rpc.WaitStatus()
	if status.Err != nil && ctx.Err() == nil {
		err = fmt.Errorf("read from the editor: %w", status.Err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == shutDown, err
}

func (s *server) methods() handler.Map {
	ignore := on(func(context.Context, struct{}) (any, error) { return nil, nil })
	methods := handler.Map{
		"initialized":                         on(s.begun),
		"$/setTrace":                          ignore,
		"workspace/didChangeConfiguration":    on(s.configured),
		"workspace/didChangeWorkspaceFolders": ignore, // packages are found by their folders
		"workspace/didChangeWatchedFiles":     ignore,
		"shutdown":                            on(s.shutdown),
		"textDocument/didOpen":                on(s.open),
		"textDocument/didChange":              on(s.edited),
		"textDocument/didSave":                on(s.saved),
		"textDocument/didClose":               on(s.closed),
		"textDocument/inlayHint":              about(s, []inlayHint{}, s.hints),
		"textDocument/codeLens":               about(s, []codeLens{}, s.lenses),
		"textDocument/hover":                  about(s, (*hover)(nil), s.hover),
		"textDocument/codeAction":             about(s, []codeAction{}, s.actions),
		"workspace/executeCommand":            on(s.execute),
		"window/workDoneProgress/cancel":      on(s.cancelProgress),
		"$/cancelRequest":                     on(s.cancelRequest),
	}
	for name, handle := range methods {
		methods[name] = s.during(initialized, handle)
	}
	methods["initialize"] = s.during(starting, on(s.initialize))
	methods["exit"] = on(func(context.Context, struct{}) (any, error) { s.stop(); return nil, nil })
	return methods
}

// on adapts a function to jrpc2.
func on[P any](handle func(context.Context, P) (any, error)) jrpc2.Handler {
	return func(ctx context.Context, request *jrpc2.Request) (any, error) {
		var params P
		if err := request.UnmarshalParams(&params); err != nil {
			return nil, err
		}
		result, err := handle(ctx, params)
		if err != nil && ctx.Err() != nil {
			err = jrpc2.Errorf(requestCancelled, "cancelled")
		}
		return result, err
	}
}

// during lets a handler run only in one state of the connection.
func (s *server) during(when state, handle jrpc2.Handler) jrpc2.Handler {
	return func(ctx context.Context, request *jrpc2.Request) (any, error) {
		s.mu.Lock()
		now := s.state
		s.mu.Unlock()
		switch {
		case now == when:
			return handle(ctx, request)
		case now == starting:
			return nil, jrpc2.Errorf(notInitialized, "the first request has to be initialize")
		}
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%.50s is not valid now", request.Method())
	}
}

func (s *server) initialize(_ context.Context, p initializeParams) (any, error) {
	if err := p.InitializationOptions.check(); err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	s.mu.Lock()
	s.client, s.state = p, initialized
	s.mu.Unlock()
	return object{
		"serverInfo": object{"name": "checkalloc", "version": s.version},
		"capabilities": object{
			"positionEncoding":   "utf-16",
			"textDocumentSync":   object{"openClose": true, "change": 2, "save": true},
			"inlayHintProvider":  true,
			"codeLensProvider":   object{},
			"hoverProvider":      true,
			"codeActionProvider": object{"codeActionKinds": []string{kindFix, kindDirective, kindCommand}},
			"executeCommandProvider": object{
				"commands":         []string{commandMeasure, commandSuggest, commandHold, commandProfile},
				"workDoneProgress": true,
			},
			"workspace": object{"workspaceFolders": object{"supported": true}},
		},
	}, nil
}

// check returns an error for a setting that the user has to correct.
func (s settings) check() error {
	if _, err := regexp.Compile(s.Bench); err != nil {
		return fmt.Errorf("the setting bench: %w", err)
	}
	if err := userpkg.CheckBenchtime(s.Benchtime); err != nil {
		return fmt.Errorf("the setting benchtime is %.50q: %w", s.Benchtime, err)
	}
	return nil
}

func (s *server) shutdown(context.Context, struct{}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = shutDown
	for _, j := range s.running {
		j.cancel(errEnds)
	}
	return nil, nil
}

func (s *server) cancelRequest(_ context.Context, p struct {
	ID json.RawMessage `json:"id"`
}) (any, error) {
	s.rpc.CancelRequest(string(p.ID))
	return nil, nil
}

// notify sends a notification. It fails only if the client has gone, which ends the connection anyway.
func (s *server) notify(method string, params any) {
	_ = s.rpc.Notify(s.ctx, method, params)
}

// ask sends a request to the client, and waits for the answer for a limited time.
func (s *server) ask(ctx context.Context, method string, params any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err := s.rpc.Callback(ctx, method, params)
	return err
}

func (s *server) logf(format string, args ...any) {
	s.notify("window/logMessage", object{"type": messageInfo, "message": printable.Text(fmt.Sprintf(format, args...))})
}

func (s *server) showMessage(kind int, text string) {
	s.notify("window/showMessage", object{"type": kind, "message": printable.Text(text)})
}

// refresh makes the client ask for hints and lenses again, and sends the diagnostics of the folders.
func (s *server) refresh(dirs ...string) {
	s.mu.Lock()
	for _, dir := range dirs {
		s.publish(dir)
	}
	workspace := s.client.Capabilities.Workspace
	s.mu.Unlock()
	// The answers say nothing, so nobody waits for them.
	s.jobs.Go(func() {
		if workspace.InlayHint.RefreshSupport {
			_ = s.ask(s.ctx, "workspace/inlayHint/refresh", nil)
		}
		if workspace.CodeLens.RefreshSupport {
			_ = s.ask(s.ctx, "workspace/codeLens/refresh", nil)
		}
	})
}

var (
	errNewer = errors.New("a newer one has begun")
	errEnds  = errors.New("the editor ends")
)

// newChannel returns a channel that frames messages as the protocol says.
func newChannel(in io.Reader, out io.Writer) channel.Channel {
	return anyContentType{channel.Header("")(in, keepOpen{out})}
}

// An anyContentType accepts messages of any content type: clients spell the only one in different ways.
type anyContentType struct{ channel.Channel }

func (c anyContentType) Recv() ([]byte, error) {
	message, err := c.Channel.Recv()
	if errors.As(err, new(*channel.ContentTypeMismatchError)) {
		err = nil
	}
	return message, err
}

// keepOpen ignores Close, because the output is the caller's.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

var errSettings = errors.New("the settings have changed")

// configured takes the settings that a user has changed, from the section "checkalloc". Clients also send other
// sections, or none. Figures that were measured with other settings stay, as stale.
func (s *server) configured(_ context.Context, p configurationParams) (any, error) {
	s.mu.Lock()
	old := s.client.InitializationOptions
	sections := struct{ Checkalloc settings }{old} // a setting that is not named stays as it is
	if json.Unmarshal(p.Settings, &sections) != nil {
		s.mu.Unlock()
		return nil, nil
	}
	changed := sections.Checkalloc
	if err := changed.check(); err != nil {
		s.mu.Unlock()
		s.showMessage(messageError, err.Error())
		return nil, nil
	}
	s.client.InitializationOptions = changed
	other := old.profileSettings != changed.profileSettings || old.Tags != changed.Tags
	old.MeasureOnSave, old.profileSettings = changed.MeasureOnSave, changed.profileSettings
	var dirs []string
	if old != changed {
		for _, j := range s.running {
			if j.dir != "" { // else the job of the profile
				j.cancel(errSettings)
			}
		}
		for dir, f := range s.packages {
			f.failed, f.otherText = errSettings.Error(), false
			dirs = append(dirs, dir)
		}
	}
	if other {
		s.followProfile()
	}
	s.mu.Unlock()
	if other || len(dirs) > 0 {
		s.refresh(dirs...)
	}
	return nil, nil
}
