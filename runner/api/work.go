package api

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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
	return w.answer(ctx, newProgress(w.Server, w.on, t, timer))
}

// begin waits until the packages that every program needs are compiled, and then begins the time of a request, which is
// --request-time. It is a day while the rest of the standard library is being compiled, because a build may have to
// wait for that.
func (s *Server) begin(ctx context.Context) (_ context.Context, timer *requestTimer, end func(), err error) {
	if err := await(ctx, s.warming.ready); err != nil {
		return nil, nil, nil, err
	}
	limit := s.settings.RequestTime
	if !s.warming.over() {
		limit = max(limit, 24*time.Hour)
	}
	ctx, timer, end = withRequestTime(ctx, limit)
	return ctx, timer, end, nil
}

// answer has a process answer the question, which builds, vets and runs on this machine.
func (w work) answer(ctx context.Context, p *progress) (queue.Result, error) {
	q := w.question
	q.Language, q.Output = w.on.release.language, w.settings.Program.Output
	if q.Kind == analysis.Check {
		// A server has no race detector; see verdict.Checker.Serial.
		if !q.Exercise.Goroutines {
			p.tests, p.testRunner = w.tools.tests, w.tools.testRunner(w.settings.Check)
		}
		q.Engine = p.testRunner.Engine()
	}
	limits := analysis.DefaultLimits()
	if p.task.InBackground() {
		limits.Nice = backgroundNice
	}
	found, err := analysis.Ask(ctx, limits, q, p)
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
