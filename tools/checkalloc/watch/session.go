package watch

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
)

// reportDelay is the least time between a change and the verdict after it, because an editor or a slow program may
// still be writing the file. A check takes about as long, so the delay usually costs no time.
const reportDelay = 100 * time.Millisecond

// The messages of a session. For each check it sends checkStarted, stagePassed for each stage that passed, and
// checkEnded. A check that is canceled by a newer change or request has no checkEnded; checkStarted of the next
// follows.
type (
	checkStarted struct {
		exercise *exercise.Exercise
		at       time.Time
	}
	stagePassed struct{ stage string }
	checkEnded  struct {
		exercise *exercise.Exercise
		at       time.Time          // when it ended
		files    map[string][]byte  // what was checked
		since    time.Duration      // the time since the change was seen or the check was requested
		verdict  *verdict.Verdict   // nil if the check could not be made
		err      error              // why it could not be made
		before   workspace.State    // the progress before this verdict
		next     *exercise.Exercise // where to go on after a pass; nil if all exercises have passed
		unsaved  error              // why the progress was not saved
	}
	// crashed reports a panic in this program. It ends the session.
	crashed struct{ err error }
)

// A session checks one exercise at a time: on request, and when the exercise's files change.
type session struct {
	workbook *Workbook
	send     func(any) // safe for concurrent use
	requests chan *exercise.Exercise
}

// newSession returns a session that calls send with its messages, from one goroutine at a time.
func newSession(w *Workbook, send func(any)) *session {
	var mu sync.Mutex
	return &session{
		workbook: w,
		send: func(message any) {
			mu.Lock()
			defer mu.Unlock()
			send(message)
		},
		requests: make(chan *exercise.Exercise),
	}
}

// request requests a check of e, which the session then watches.
func (s *session) request(ctx context.Context, e *exercise.Exercise) {
	select {
	case s.requests <- e:
	case <-ctx.Done():
	}
}

// run serves requests until ctx ends. When it returns, the check under way has been canceled and has cleaned up.
func (s *session) run(ctx context.Context) { s.guard(func() { s.serve(ctx) }) }

// guard calls do, and sends crashed if it panics.
func (s *session) guard(do func()) {
	if err := catchPanic(do); err != nil {
		s.send(crashed{err})
	}
}

func (s *session) serve(ctx context.Context) {
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer group.Wait()
	defer cancel()
	spawn := func(do func()) { group.Go(func() { s.guard(do) }) }

	var (
		current      *exercise.Exercise
		stopWatching = func() {}
		changes      chan struct{} // to the files of current
		requested    time.Time     // when the last check was requested
		changed      time.Time     // when the last change was seen
		cancelCheck  context.CancelFunc
		results      chan checkEnded
		restart      bool // start another check when the one under way has been canceled
	)
	start := func() {
		if results != nil {
			cancelCheck()
			restart = true
			return
		}
		var checking context.Context
		checking, cancelCheck = context.WithCancel(ctx)
		e, done, stop, delay := current, make(chan checkEnded, 1), cancelCheck, changed.Add(reportDelay)
		results, restart = done, false
		s.send(checkStarted{e, time.Now()})
		spawn(func() {
			defer stop()
			defer close(done)
			r := s.check(checking, e)
			select {
			case <-checking.Done(): // another check starts in place of this one
			case <-time.After(time.Until(delay)):
			}
			done <- r
		})
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-s.requests:
			requested, changed = time.Now(), time.Time{}
			if e != current {
				stopWatching()
				current, changes = e, make(chan struct{}, 1)
				stopWatching = s.watch(ctx, spawn, e, changes)
			}
			start()
		case <-changes:
			requested = time.Now()
			changed = requested
			start()
		case r, ok := <-results:
			results = nil
			switch {
			case !ok: // it panicked, and crashed has been sent
			case restart:
				start()
			default:
				r.at, r.since = time.Now(), time.Since(requested)
				if r.verdict != nil {
					r.before, r.unsaved = s.workbook.Record(r.exercise, r.verdict)
					progress, _ := s.workbook.Progress() // without it, no other exercise has passed
					r.next = progress.After(r.exercise, s.workbook.Catalog)
				}
				s.send(r)
			}
		}
	}
}

// watch sends to changes when a file of the exercise has changed, until stop is called.
func (s *session) watch(
	ctx context.Context, spawn func(func()), e *exercise.Exercise, changes chan<- struct{},
) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	f := fileWatcher{dir: s.workbook.Dir(e), names: e.Edit}
	f.seen = f.read() // before the first check reads them
	spawn(func() {
		for f.wait(ctx) {
			select {
			case changes <- struct{}{}:
			default: // one is waiting already
			}
		}
	})
	return cancel
}

// check checks an exercise once.
func (s *session) check(ctx context.Context, e *exercise.Exercise) checkEnded {
	r := checkEnded{exercise: e}
	if r.files, r.err = s.workbook.Files(e.ID); r.err == nil {
		maps.DeleteFunc(r.files, isEditorFile) // a verdict would list each as set aside
		r.verdict, r.err = s.workbook.Check(ctx, e, r.files, func(stage string) {
			if ctx.Err() == nil {
				s.send(stagePassed{stage})
			}
		})
	}
	if r.err != nil {
		r.verdict = nil
	}
	return r
}

// isEditorFile reports whether an editor keeps a file for itself, beside the one that is open: hidden files, backups
// ("sum.go~"), Emacs's autosaves ("#sum.go#") and Vim's probes ("4913").
func isEditorFile(name string, _ []byte) bool { return editorFile.MatchString(name) }

var editorFile = regexp.MustCompile(`^\.|^#.*#$|~$|^\d+$`)

// Lines checks an exercise, and again whenever its files change. For each check it writes a line with the time and the
// stages as they pass, and then the verdict by Workbook.Report. It returns nil when ctx ends, and the first error of a
// write. Errors of checks go to notes.
func Lines(ctx context.Context, w *Workbook, e *exercise.Exercise, out, notes io.Writer) (failed error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := func(err error) {
		if err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	open := false // the line of stages is not complete
	end := func() {
		if open {
			fmt.Fprintln(out)
			open = false
		}
	}
	s := newSession(w, func(message any) {
		switch message := message.(type) {
		case checkStarted:
			end()
			_, err := fmt.Fprintf(out, "── %s  %s ", message.at.Format(time.TimeOnly), message.exercise.ID)
			open = true
			stop(err)
		case stagePassed:
			_, err := fmt.Fprintf(out, " %s ✓", message.stage)
			stop(err)
		case checkEnded:
			end()
			if message.err != nil {
				fmt.Fprintf(notes, "%s\n", printable.Text(strings.TrimRight(message.err.Error(), "\n")))
				return
			}
			fmt.Fprintln(out)
			stop(w.Report(message.exercise, message.verdict, message.files, message.before))
			fmt.Fprintln(out)
			if message.unsaved != nil {
				fmt.Fprintf(notes, "not saved: %s\n", printable.Text(message.unsaved.Error()))
			}
		case crashed:
			stop(message.err)
		}
	})
	var group sync.WaitGroup
	group.Go(func() { s.run(ctx) })
	s.request(ctx, e)
	group.Wait()
	return failed
}
