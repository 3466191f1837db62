package api

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"onthestack/internal/sandbox"
	"onthestack/runner/analysis"
	"onthestack/runner/queue"
)

// A work is what the server does for a request: it has a process of package analysis answer a question.
type work struct {
	*Server
	question analysis.Question
	on       toolchain // builds programs
}

// request returns a request whose work is to answer a question, for a key with the parts of it that vary.
func (s *Server) request(on toolchain, q analysis.Question, key string) queue.Request {
	return queue.Request{Kind: q.Kind, Key: queue.KeyOf(q.Kind, on.release.Version, key), Work: work{s, q, on}.do}
}

// do does the work on this machine or, if this one has no free slot, on a worker. The queue counts the slots of all
// machines, so that there is a free one somewhere. The background is on this machine.
func (w work) do(ctx context.Context, t *queue.Task) (queue.Result, error) {
	leave := func() {}
	if w.cluster != nil && !t.InBackground() {
		if !w.cluster.slots.TryAcquire(1) {
			// Workers have no other release than the one that builds most programs.
			if w.on.release.Version == w.release.Version {
				if result, err := w.remotely(ctx, t); err == nil || ctx.Err() != nil {
					return result, err
				}
			}
			if w.cluster.slots.Acquire(ctx, 1) != nil {
				return queue.Result{}, context.Cause(ctx)
			}
		}
		leave = sync.OnceFunc(func() { w.cluster.slots.Release(1) })
	}
	defer leave()
	t.OnBackground = leave
	ctx, timer, end, err := w.begin(ctx)
	if err != nil {
		return queue.Result{}, err
	}
	defer end()
	return w.answer(ctx, &progress{Server: w.Server, on: w.on, task: t, timer: timer})
}

// begin waits until the packages that every program needs are compiled, and then begins the time of a request, which is
// --request-time. There is no limit while the rest of the standard library is being compiled, because a build may have
// to wait for that.
func (s *Server) begin(ctx context.Context) (_ context.Context, timer *requestTimer, end func(), err error) {
	if err := await(ctx, s.warming.ready); err != nil {
		return nil, nil, nil, err
	}
	if !s.warming.over() {
		return ctx, nil, func() {}, nil
	}
	ctx, timer, end = withRequestTime(ctx, s.settings.RequestTime)
	return ctx, timer, end, nil
}

// answer has a process answer the question, which builds, vets and runs on this machine.
func (w work) answer(ctx context.Context, p *progress) (queue.Result, error) {
	q := w.question
	q.Language, q.Output = w.on.release.language, w.settings.Program.Output
	b, r := p.builder(), p.runner()
	if q.Kind == analysis.Check {
		// A server has no race detector; see verdict.Checker.Serial.
		if !q.Exercise.Goroutines {
			b.tests, r.tests = w.tools.checks.isolated, w.tools.checks.runner(w.settings.Check)
		}
		q.Engine = r.Engine()
	}
	limits := analysis.DefaultLimits()
	if p.task.InBackground() {
		limits.Nice = backgroundNice
	}
	found, err := analysis.Ask(ctx, limits, q,
		analysis.Means{Builder: b, Tests: b, Runner: r, Vetter: b, Recorder: r, Loader: r, Tell: p.task.Tell}, isLate)
	var failed *analysis.Failure
	if errors.As(err, &failed) {
		w.log.Warn("the process of a request ended without an answer", "path", q.Kind, "error", failed,
			"printed", failed.Log)
		return queue.Result{Value: q.Refused(failed.Error()), Transient: failed.Stop.Kind.Transient()}, nil
	}
	if err != nil {
		return queue.Result{}, fmt.Errorf("answer %s: %w", q.Kind, err)
	}
	// A stopped vet makes an answer transient only if the answer contains its findings.
	return queue.Result{Value: found.Body, Transient: p.transient.Load() || found.Vetted && p.vetTransient.Load()}, nil
}

// A progress is the work on a task on this machine: what builds and runs for it, and what that found out.
type progress struct {
	*Server
	on           toolchain
	task         *queue.Task
	timer        *requestTimer // nil if it has no limit
	transient    atomic.Bool   // whether a build or a run reached a limit that it might not reach next time
	vetTransient atomic.Bool   // the same for vet, which runs at the same time as the program
}

// builder returns what builds, with tests as WebAssembly.
func (p *progress) builder() builder { return builder{p, p.on.isolated} }

// runner returns what runs programs, and tests as WebAssembly: tests of a client's program, and tests of solutions with
// goroutines. They have the time limit of a check, because they are measured as a check is.
func (p *progress) runner() runner { return runner{p, sandbox.Wasm{Limits: p.settings.Check}} }
