package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"onthestack/internal/build"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// The commands that a client can execute.
const (
	commandMeasure = "checkalloc.measure"
	commandSuggest = "checkalloc.suggest"
	commandHold    = "checkalloc.hold"
	commandProfile = "checkalloc.profile"
)

// execute executes a command, and answers when it has ended.
func (s *server) execute(ctx context.Context, p executeParams) (any, error) {
	var t target
	if len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &t) != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, `%.50s takes one argument, {"uri": "file:///..."}`, p.Command)
	}
	file, err := pathOf(t.URI)
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	switch p.Command {
	case commandMeasure:
		err = s.do(ctx, filepath.Dir(file), p.WorkDoneToken, "Measuring allocations", s.measure)
	case commandSuggest:
		err = s.do(ctx, filepath.Dir(file), p.WorkDoneToken, "Proving edits", s.suggest)
	case commandHold:
		err = s.hold(ctx, file, t.Benchmark)
	case commandProfile:
		err = s.readAgain()
	default:
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "there is no command %.50q", p.Command)
	}
	return nil, err
}

// saved measures the package of a file that was saved, if the user wants that.
func (s *server) saved(_ context.Context, p documentParams) (any, error) {
	file, err := pathOf(p.TextDocument.URI)
	if err != nil || filepath.Ext(file) != ".go" {
		return nil, nil
	}
	s.mu.Lock()
	wanted := s.client.InitializationOptions.MeasureOnSave
	s.publish(filepath.Dir(file))
	s.mu.Unlock()
	if wanted {
		s.jobs.Go(func() { _ = s.do(s.ctx, filepath.Dir(file), nil, "Measuring allocations", s.measure) })
	}
	return nil, nil
}

// A job is a package that is being built and measured.
type job struct {
	*server
	dir    string // "" for the heap profile
	cancel context.CancelCauseFunc
	token  any    // of its progress, nil if the client shows none
	last   string // the message with which its progress ends
	// otherText says that the text differs from the text of the last figures.
	otherText bool
}

// do runs a job for the package in a folder, after the jobs of other folders. If a job runs for the same folder, do
// cancels it.
func (s *server) do(ctx context.Context, dir string, token any, title string,
	work func(context.Context, *job) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j := &job{server: s, dir: dir, cancel: cancel, token: token}
	s.mu.Lock()
	if old := s.running[dir]; old != nil {
		old.cancel(errNewer)
	}
	s.running[dir] = j
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		if s.running[dir] == j {
			delete(s.running, dir)
		}
		s.mu.Unlock()
	}()
	j.begin(ctx, title)
	err := j.wait(ctx, work)
	switch {
	case ctx.Err() != nil:
		j.last = "cancelled"
		if cause := context.Cause(ctx); cause == errNewer || cause == errSettings {
			j.last = "cancelled, since " + cause.Error()
		}
		err = jrpc2.Errorf(requestCancelled, "%s", j.last)
	case err != nil:
		j.last = printable.Text(build.HideTempFiles(err.Error()))
		err = jrpc2.Errorf(requestFailed, "%s", j.last)
		s.fail(dir, j.last, j.otherText)
	}
	s.refresh(dir)
	j.end()
	return err
}

// wait does the work when it is this job's turn.
func (j *job) wait(ctx context.Context, work func(context.Context, *job) error) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case j.slot <- struct{}{}:
	}
	defer func() { <-j.slot }()
	// The compiler's report can have many megabytes, and an editor is open for days.
	defer debug.FreeOSMemory()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return work(ctx, j)
}

// measure measures the package of a job and keeps the figures.
func (s *server) measure(ctx context.Context, j *job) error {
	return j.explain(ctx, func(_ *userpkg.Package, v *verdict.Verdict) error {
		j.last = summary(v)
		return nil
	})
}

// options returns what the user's settings say about measurements.
func (s *server) options() userpkg.MeasureOptions {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.client.InitializationOptions
	return userpkg.MeasureOptions{Bench: cmp.Or(o.Bench, "."), Benchtime: o.Benchtime, Limit: time.Minute}
}

// explain builds the package of a job with the text that the editor shows, measures it, keeps the figures, and calls
// use with both. The files of the build are removed after that.
func (j *job) explain(ctx context.Context, use func(*userpkg.Package, *verdict.Verdict) error) (err error) {
	j.mu.Lock()
	tags := j.client.InitializationOptions.Tags
	j.otherText = j.view(j.dir).changed != ""
	j.mu.Unlock()
	j.report("reading the package")
	saved, err := userpkg.Config{Dir: j.dir, Tags: tags}.Load(ctx, ".")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, saved.Close()) }()
	what := saved.ImportPath
	edited, added := j.unsaved(j.dir, saved.Texts)
	subject := saved
	if len(edited) > 0 {
		subject = saved.With(edited)
		defer func() { err = errors.Join(err, subject.Close()) }()
		what += " with unsaved changes"
	}
	if len(added) > 0 {
		slices.Sort(added)
		what += " without " + strings.Join(added, ", ") + ", which is not saved"
	}
	j.report("building " + what)
	if err := subject.Compile(ctx, true); err != nil {
		return err
	}
	j.report("measuring " + what)
	e, err := subject.Explain(ctx, j.options(), userpkg.OnlyPackage)
	if err != nil {
		return err
	}
	if e.Verdict.Stage == verdict.StageBuild {
		return errors.New(whyNotBuilt(e.Verdict))
	}
	j.keep(j.dir, subject, e.Verdict)
	j.refresh(j.dir)
	return use(subject, e.Verdict)
}

// whyNotBuilt returns the first error of a build, on a line.
func whyNotBuilt(v *verdict.Verdict) string {
	for _, e := range v.Errors {
		if e.File == "" {
			return printable.Inline(e.Message)
		}
		return fmt.Sprintf("%s:%d: %s", printable.Inline(e.File), e.Line, printable.Inline(e.Message))
	}
	return "the package does not build"
}

// summary returns the result of a measurement in a sentence.
func summary(v *verdict.Verdict) string {
	switch n := len(v.Benchmarks); {
	case n == 0 && len(v.NotMeasured) == 0:
		return v.Package + " has no benchmark, so nothing was measured"
	case !v.Pass:
		first, _, _ := strings.Cut(v.Tests.Output, "\n")
		return printable.Inline(first)
	case n == 1:
		return "1 benchmark of " + v.Package + " was measured"
	default:
		return fmt.Sprintf("%d benchmarks of %s were measured", n, v.Package)
	}
}

// begin shows the progress of a job, with a button to cancel it.
func (j *job) begin(ctx context.Context, title string) {
	j.mu.Lock()
	if j.token == nil && j.client.Capabilities.Window.WorkDoneProgress {
		j.tokens++
		token := fmt.Sprintf("checkalloc-%d", j.tokens)
		j.mu.Unlock()
		if j.ask(ctx, "window/workDoneProgress/create", object{"token": token}) != nil {
			return
		}
		j.mu.Lock()
		j.token = token
	}
	j.mu.Unlock()
	j.progress(object{"kind": "begin", "title": title, "cancellable": true})
}

// report shows what a job does now.
func (j *job) report(message string) {
	j.progress(object{"kind": "report", "message": printable.Inline(message)})
}

// end ends the progress of a job with its last message.
func (j *job) end() {
	j.progress(object{"kind": "end", "message": j.last})
}

func (j *job) progress(value object) {
	if j.token != nil {
		j.notify("$/progress", object{"token": j.token, "value": value})
	}
}

// cancelProgress cancels a job whose progress the user has cancelled.
func (s *server) cancelProgress(_ context.Context, p struct {
	Token any `json:"token"`
}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.running {
		if j.token != nil && fmt.Sprint(j.token) == fmt.Sprint(p.Token) {
			j.cancel(context.Canceled)
		}
	}
	return nil, nil
}
