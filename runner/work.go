package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"onthestack/runner/cache"
	"onthestack/runner/queue"
)

// A task is what a request asks for.
type task struct {
	// key names all that the result depends on, beside the path and the release of Go; "" for a result that is not to be kept.
	key string
	do  func(context.Context) (result, error)
}

// A result is what came of a task.
type result struct {
	answer any // sent as JSON
	// passing is true where the same task may end otherwise another time: it hit a limit of time or of the machine.
	passing bool
}

// A scheduler waits for a slot, has the work done in it and returns its error. If the slot is taken for another request, it waits
// again and has the work done anew.
type scheduler func(ctx context.Context, work func(context.Context) error) error

// A preparer reads a request.
type preparer func(*http.Request) (task, error)

// work makes a handler of one that takes some work: it reads the request, looks for its answer among those that are kept or are
// being made, and only then waits for a slot. The header X-Cache tells which it was: "hit" for a kept answer, "shared" for
// that of an equal request that was under way, "miss" for one that was made for this request; there is none where answers are
// not kept.
func (s *server) work(schedule scheduler, prepare preparer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t, err := read(w, r, prepare)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		answer, err := s.answer(r.Context(), r.URL.Path, schedule, t, nil)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if outcome := recordOf(r.Context()).cache; outcome != "" {
			w.Header().Set("X-Cache", string(outcome))
		}
		s.unread.send(recordOf(r.Context()).client, len(answer), func() { s.send(w, http.StatusOK, answer) })
	}
}

// read reads the request, within bounds.
func read(w http.ResponseWriter, r *http.Request, prepare preparer) (task, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	t, err := prepare(r)
	if err == nil {
		// The request is read. Left standing, its deadline would cancel the context of a request that waits for long.
		http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	return t, err
}

// answer returns the answer to a task as JSON, and tells step, unless that is nil, how it gets on.
func (s *server) answer(ctx context.Context, path string, schedule scheduler, t task, step func(cache.Step)) ([]byte, error) {
	rec := recordOf(ctx)
	if err := s.unread.check(rec.client); err != nil {
		return nil, err
	}
	var key cache.Key
	if t.key != "" {
		key = cache.KeyOf(path, s.release.Version, t.key)
	}
	for {
		a, outcome, err := s.results.Do(ctx, key, rec.client, step, func(ctx context.Context, f *cache.Flight) (cache.Answer, error) {
			return carryOut(withFlight(ctx, f), schedule, t)
		})
		var full *queue.Full
		if outcome == cache.Shared && errors.As(err, &full) {
			// Another client's place was given up, or refused, for all that it asked for; this one has asked for less.
			continue
		}
		if t.key != "" {
			rec.cache = outcome
			s.metrics.Answer(outcome)
		}
		return a.Body, err
	}
}

// carryOut has the task done in a slot.
func carryOut(ctx context.Context, schedule scheduler, t task) (cache.Answer, error) {
	var done result
	err := schedule(ctx, func(ctx context.Context) (err error) {
		done, err = t.do(ctx)
		return err
	})
	if err != nil {
		return cache.Answer{}, err
	}
	text, err := json.Marshal(done.answer)
	if err != nil {
		return cache.Answer{}, fmt.Errorf("encode an answer: %w", err)
	}
	return cache.Answer{Body: text, Steps: underWay(ctx).stages(), Passing: done.passing}, nil
}

// job schedules what builds and runs. Its work has --request-time from when it has its slot.
func (s *server) job(ctx context.Context, work func(context.Context) error) error {
	return s.inSlot(ctx, s.jobs, "work", func(ctx context.Context) error {
		// The first requests on a new machine wait until what they all need is compiled.
		if err := s.warming.wait(ctx); err != nil {
			return err
		}
		if !s.warming.over() {
			// The build may have to wait for the rest of the standard library.
			return work(ctx)
		}
		ctx, cancel := withRequestTime(ctx, s.settings.RequestTime)
		defer cancel()
		return work(ctx)
	})
}

// formatJob schedules what formats.
func (s *server) formatJob(ctx context.Context, work func(context.Context) error) error {
	return s.inSlot(ctx, s.formats, "format", work)
}

// inSlot waits for a slot in the queue, for the request's client and for those that come to share its answer, and has the work
// done in it: again, where the work fails because the slot is taken for another request.
func (s *server) inSlot(ctx context.Context, q *queue.Queue, name string, work func(context.Context) error) error {
	rec := recordOf(ctx)
	ticket, err := q.Join(rec.client, rec.route)
	if err != nil {
		return err
	}
	defer ticket.Leave()
	u := underWay(ctx)
	if u != nil {
		u.flight.Parties(ticket.Share)
		if n := ticket.Position(); n > 0 {
			u.queued(n)
		}
	}
	for {
		working, err := ticket.Wait(ctx)
		if err != nil {
			return err
		}
		waited := ticket.Waited()
		rec.queued.Add(int64(waited))
		s.metrics.Waited(name, waited)
		err = work(working)
		if err == nil || !ticket.Requeue() {
			return err
		}
		if u != nil {
			u.again(ticket.Position())
		}
	}
}
