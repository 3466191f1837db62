package watch

import (
	"context"
	"regexp"
	"sync"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/workspace"
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
		at       time.Time         // when it ended
		files    map[string][]byte // what was checked
		since    time.Duration     // the time since the change was seen or the check was requested
		verdict  *verdict.Verdict  // nil if the check could not be made
		err      error             // why it could not be made
		before   workspace.State   // the progress before this verdict
		unsaved  error             // why the progress was not saved
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

// report saves the verdict of a check in the progress and sends it.
func (s *session) report(r checkEnded, requested time.Time) {
	r.at, r.since = time.Now(), time.Since(requested)
	if r.verdict != nil {
		r.before, r.unsaved = s.workbook.Record(r.exercise, r.verdict)
	}
	s.send(r)
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
		pending      *checkEnded
		reportTimer  = stopped()
	)
	defer reportTimer.Stop()
	start := func() {
		if pending = nil; results != nil {
			cancelCheck()
			restart = true
			return
		}
		var checking context.Context
		checking, cancelCheck = context.WithCancel(ctx)
		e, done, stop := current, make(chan checkEnded, 1), cancelCheck
		results, restart = done, false
		s.send(checkStarted{e, time.Now()})
		spawn(func() {
			defer stop()
			defer close(done)
			done <- s.check(checking, e)
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
			case time.Since(changed) < reportDelay:
				pending = &r
				reportTimer.Reset(reportDelay - time.Since(changed))
			default:
				s.report(r, requested)
			}
		case <-reportTimer.C:
			if pending != nil {
				s.report(*pending, requested)
				pending = nil
			}
		}
	}
}

// watch sends to changes when a file of the exercise has changed, until stop is called.
func (s *session) watch(
	ctx context.Context,
	spawn func(func()),
	e *exercise.Exercise,
	changes chan<- struct{},
) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	f := fileWatcher{
		dir:   s.workbook.Dir(e),
		names: e.Edit,
		changed: func() {
			select {
			case changes <- struct{}{}:
			default: // one is waiting already
			}
		},
	}
	seen := f.read() // before the first check reads them
	spawn(func() { f.watch(ctx, seen) })
	return cancel
}

// check checks an exercise once.
func (s *session) check(ctx context.Context, e *exercise.Exercise) checkEnded {
	r := checkEnded{exercise: e}
	if r.files, r.err = s.workbook.Files(e.ID); r.err == nil {
		r.files = withoutEditorFiles(r.files)
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

// withoutEditorFiles returns the files without the ones that an editor keeps beside them while it is open. A verdict
// would list each of those as set aside.
func withoutEditorFiles(files map[string][]byte) map[string][]byte {
	kept := map[string][]byte{}
	for name, text := range files {
		if !editorFile.MatchString(name) {
			kept[name] = text
		}
	}
	return kept
}

// editorFile matches the names of files that editors make for themselves: hidden files, backups ("sum.go~"), Emacs's
// autosaves ("#sum.go#") and Vim's probes ("4913").
var editorFile = regexp.MustCompile(`^\.|^#.*#$|~$|^\d+$`)
