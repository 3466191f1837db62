package site

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Step is a command with its dependencies.
type Step struct {
	Name     string
	Does     string        // what it does, for a reader: "compile mdBook"
	Needs    []string      // steps that must succeed first; if one fails, this one does not run
	Wants    []string      // steps that must end first; if one fails, this one runs without its result
	Command  []string      // a program and its arguments
	Estimate time.Duration // how long it takes on a new machine, roughly

	// Resumable means that a command which was interrupted continues, the next time, where it stopped.
	Resumable bool
}

// A State is the state of a step.
type State int

const (
	Waiting State = iota
	Running
	Done
	Failed  // its command failed
	Skipped // a step that it needs failed
)

func (s State) String() string {
	return [...]string{"waiting", "running", "done", "failed", "skipped"}[s]
}

// Ended reports whether the state is final.
func (s State) Ended() bool { return s >= Done }

// A Status is the status of a step at one moment.
type Status struct {
	Step
	State   State
	Took    time.Duration // from its beginning to its end, or to now
	Problem string        // why it failed (the output of its command) or which step it lacks
}

// stepOptions configure how steps run.
type stepOptions struct {
	Dir      string        // in which the commands run; "" for this process's own
	Parallel int           // how many commands run at the same time, at least 1
	Grace    time.Duration // how long an interrupted command may clean up before it is killed
	Record   string        // file with the durations of steps, for later estimates; "" for none
	// Report is called when a step begins and when it ends, one call at a time.
	Report func(Status)
}

// shortest is the duration from which a step counts for estimates. A step that takes less found everything built
// already.
const shortest = time.Second

// Steps are the steps of one build. They run in parallel if they do not depend on each other. They are safe for
// concurrent use.
type Steps struct {
	options stepOptions

	mu      sync.Mutex
	steps   []*step
	changed chan struct{} // closed at the next change
	stopped bool          // no step begins anymore
}

type step struct {
	Status
	began     time.Time
	interrupt context.CancelFunc // set while it runs
}

// newSteps returns the steps; none of them runs yet. It is an error if a step has no command, if two steps have the
// same name, or if a step depends on one that is not listed before it.
func newSteps(steps []Step, options stepOptions) (*Steps, error) {
	s := &Steps{options: options, changed: make(chan struct{})}
	recorded := readDurations(options.Record)
	var names []string
	for _, each := range steps {
		for _, need := range slices.Concat(each.Needs, each.Wants) {
			if !slices.Contains(names, need) {
				return nil, fmt.Errorf("step %s needs %s, which is not a step before it", each.Name, need)
			}
		}
		if len(each.Command) == 0 || slices.Contains(names, each.Name) {
			return nil, fmt.Errorf("step %s has no command, or is there twice", each.Name)
		}
		if last := recorded[each.Name]; last > 0 {
			each.Estimate = last
		}
		names = append(names, each.Name)
		s.steps = append(s.steps, &step{Status: Status{Step: each}})
	}
	return s, nil
}

// Run runs the steps, earlier ones first, and returns when all have ended. Call it once. When ctx is done, Run ends the
// running commands and all processes that they started, and starts no others.
func (s *Steps) Run(ctx context.Context) {
	var running sync.WaitGroup
	free := make(chan struct{}, max(1, s.options.Parallel))
	for {
		next, change, over := s.next(ctx)
		switch {
		case over:
			running.Wait()
			return
		case next == nil:
			<-change
			continue
		}
		select {
		case free <- struct{}{}:
		case <-change: // an earlier step may have become ready
			continue
		}
		own, interrupt := context.WithCancel(ctx)
		without, ok := s.begin(next, interrupt)
		if !ok {
			interrupt()
			<-free
			continue
		}
		running.Go(func() {
			defer func() { interrupt(); <-free }()
			output, err := runCommand(own, next.Command, s.options, without)
			s.finish(own, next, output, err)
		})
	}
}

// Stop lets Run begin no more steps. Run interrupts steps that are resumable, which then wait again, and returns once
// the other running steps have ended.
func (s *Steps) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for _, each := range s.steps {
		if each.State == Running && each.Resumable {
			each.interrupt()
		}
	}
	s.change()
}

// next returns the first step that can run now, or nil if none can before the next change.
func (s *Steps) next(ctx context.Context) (_ *step, change <-chan struct{}, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped && ctx.Err() == nil {
		return nil, s.changed, !slices.ContainsFunc(s.steps, func(each *step) bool { return each.State == Running })
	}
	over = true
	for _, each := range s.steps {
		if each.State == Waiting {
			if ctx.Err() != nil {
				s.set(each, Skipped, "It was interrupted.")
			} else if missing := s.missing(each); missing != "" {
				s.set(each, Skipped, "It needs the result of "+missing+".")
			}
		}
		over = over && each.State.Ended()
	}
	for _, each := range s.steps {
		if each.State == Waiting && s.ready(each) {
			return each, s.changed, false
		}
	}
	return nil, s.changed, over
}

func (s *Steps) byName(name string) *step {
	return s.steps[slices.IndexFunc(s.steps, func(each *step) bool { return each.Name == name })]
}

// missing returns a step that is needed and has failed or was skipped.
func (s *Steps) missing(each *step) string {
	for _, need := range each.Needs {
		if state := s.byName(need).State; state == Failed || state == Skipped {
			return need
		}
	}
	return ""
}

func (s *Steps) ready(each *step) bool {
	for _, need := range slices.Concat(each.Needs, each.Wants) {
		if !s.byName(need).State.Ended() {
			return false
		}
	}
	return true
}

// begin marks a step as running, and returns the steps in its Wants that failed. It reports false if no step may begin
// anymore.
func (s *Steps) begin(each *step, interrupt context.CancelFunc) (without []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, false
	}
	for _, want := range each.Wants {
		if s.byName(want).State != Done {
			without = append(without, want)
		}
	}
	each.began, each.interrupt = time.Now(), interrupt
	s.set(each, Running, "")
	return without, true
}

func (s *Steps) finish(ctx context.Context, each *step, output string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	each.Took = time.Since(each.began)
	switch {
	case ctx.Err() != nil && err != nil && s.stopped && each.Resumable:
		each.Took = 0
		s.set(each, Waiting, "")
	case ctx.Err() != nil && err != nil:
		s.set(each, Failed, "It was interrupted. The next start continues it.")
	case err != nil && output == "":
		s.set(each, Failed, err.Error())
	case err != nil:
		s.set(each, Failed, output)
	default:
		if each.Took >= shortest {
			recordDuration(s.options.Record, each.Name, each.Took) // if that fails, the next estimate is the old one
		}
		s.set(each, Done, "")
	}
}

// set changes a step's state. s.mu is held.
func (s *Steps) set(each *step, state State, problem string) {
	each.State, each.Problem = state, strings.TrimSpace(problem)
	s.change()
	if s.options.Report != nil {
		s.options.Report(each.now())
	}
}

// change wakes Run. s.mu is held.
func (s *Steps) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (e *step) now() Status {
	status := e.Status
	if e.State == Running {
		status.Took = time.Since(e.began)
	}
	return status
}

// A Snapshot is the status of all steps at one moment, in their order.
type Snapshot []Status

// Snapshot returns the current status of the steps.
func (s *Steps) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all Snapshot
	for _, each := range s.steps {
		all = append(all, each.now())
	}
	return all
}

// In returns the steps that are in a state.
func (s Snapshot) In(state State) Snapshot {
	return slices.DeleteFunc(slices.Clone(s), func(each Status) bool { return each.State != state })
}

// Over reports whether every step has ended.
func (s Snapshot) Over() bool {
	return !slices.ContainsFunc(s, func(each Status) bool { return !each.State.Ended() })
}
