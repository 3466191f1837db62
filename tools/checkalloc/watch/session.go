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

// settled is how long after a change a verdict is held back: an editor, or a program that writes slowly, may be saving
// still. Checks take about as long, so that this costs nobody time.
const settled = 100 * time.Millisecond

// What a session tells, in this order for one check: began, staged for each stage that passed, ended. A check that a
// newer change or request cancels has no end; the next begins.
type (
	began struct {
		exercise *exercise.Exercise
		at       time.Time
	}
	staged struct{ stage string }
	ended  struct {
		exercise *exercise.Exercise
		at       time.Time         // when it ended
		files    map[string][]byte // what was checked
		since    time.Duration     // from when the change was seen, or the check was asked for
		verdict  *verdict.Verdict  // nil where the check could not be made
		err      error             // why it could not be made
		before   workspace.State   // the progress before this verdict
		unsaved  error             // why the progress was not saved
	}
	// noted is something that the reader should know.
	noted struct{ text string }
	// broke ends the session, by a mistake in this program.
	broke struct{ err error }
)

// A session checks one exercise at a time: when it is asked to, and when the exercise's files change.
type session struct {
	workbook *Workbook
	tell     func(any) // called by one goroutine at a time
	requests chan *exercise.Exercise
}

func newSession(w *Workbook, tell func(any)) *session {
	var one sync.Mutex
	return &session{
		workbook: w,
		tell: func(message any) {
			one.Lock()
			defer one.Unlock()
			tell(message)
		},
		requests: make(chan *exercise.Exercise),
	}
}

// ask has e checked now, and watched from now on.
func (s *session) ask(ctx context.Context, e *exercise.Exercise) {
	select {
	case s.requests <- e:
	case <-ctx.Done():
	}
}

// run serves requests until ctx ends; by then the check under way has been cancelled and has cleaned up.
func (s *session) run(ctx context.Context) {
	if err := guard(func() { s.serve(ctx) }); err != nil {
		s.tell(broke{err})
	}
}

func (s *session) serve(ctx context.Context) {
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer group.Wait()
	defer cancel()
	spawn := func(do func()) {
		group.Go(func() {
			if err := guard(do); err != nil {
				s.tell(broke{err})
			}
		})
	}

	var (
		current  *exercise.Exercise
		unwatch  = func() {}
		changes  chan struct{} // of the current exercise's files
		asked    time.Time     // when the check that is wanted last was
		changed  time.Time     // when the last change was seen
		abort    context.CancelFunc
		results  chan ended
		again    bool // another check is wanted, once the one under way has been cancelled
		held     *ended
		holdOver = stopped()
	)
	defer holdOver.Stop()
	start := func() {
		if held = nil; results != nil {
			abort()
			again = true
			return
		}
		var checking context.Context
		checking, abort = context.WithCancel(ctx)
		e, done, stop := current, make(chan ended, 1), abort
		results, again = done, false
		s.tell(began{e, time.Now()})
		spawn(func() {
			defer stop()
			defer close(done)
			done <- s.check(checking, e)
		})
	}
	report := func(r ended) {
		r.at, r.since = time.Now(), time.Since(asked)
		if r.verdict != nil {
			r.before, r.unsaved = s.workbook.Remember(r.exercise, r.verdict)
		}
		s.tell(r)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-s.requests:
			asked, changed = time.Now(), time.Time{}
			if e != current {
				unwatch()
				current, changes = e, make(chan struct{}, 1)
				unwatch = s.watch(ctx, spawn, e, changes)
			}
			start()
		case <-changes:
			asked = time.Now()
			changed = asked
			start()
		case r, ok := <-results:
			results = nil
			switch {
			case !ok: // it broke, as has been told
			case again:
				start()
			case time.Since(changed) < settled:
				held = &r
				holdOver.Reset(settled - time.Since(changed))
			default:
				report(r)
			}
		case <-holdOver.C:
			if held != nil {
				report(*held)
				held = nil
			}
		}
	}
}

// watch has changes of the exercise's files reported to changes.
func (s *session) watch(ctx context.Context, spawn func(func()), e *exercise.Exercise, changes chan<- struct{}) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	f := files{
		dir:   s.workbook.Dir(e),
		names: e.Edit,
		changed: func() {
			select {
			case changes <- struct{}{}:
			default: // one is waiting already
			}
		},
		noted: func(text string) { s.tell(noted{text}) },
	}
	seen := f.look() // before the first check reads them
	spawn(func() { f.watch(ctx, seen) })
	return cancel
}

// check makes one check.
func (s *session) check(ctx context.Context, e *exercise.Exercise) ended {
	r := ended{exercise: e}
	if r.files, r.err = s.workbook.Files(e); r.err == nil {
		r.files = sources(r.files)
		r.verdict, r.err = s.workbook.Check(ctx, e, r.files, func(stage string) {
			if ctx.Err() == nil {
				s.tell(staged{stage})
			}
		})
	}
	if r.err != nil {
		r.verdict = nil
	}
	return r
}

// sources are the files without those that an editor keeps beside them while it is open: each would be noted as set
// aside.
func sources(files map[string][]byte) map[string][]byte {
	kept := map[string][]byte{}
	for name, text := range files {
		if !leftover.MatchString(name) {
			kept[name] = text
		}
	}
	return kept
}

// leftover is the name of a file that an editor makes for itself: hidden ones, backups ("sum.go~"), Emacs's
// ("#sum.go#") and Vim's probes ("4913").
var leftover = regexp.MustCompile(`^\.|^#.*#$|~$|^\d+$`)
