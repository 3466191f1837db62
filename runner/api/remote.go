package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"onthestack/internal/exercise"
	"onthestack/runner/analysis"
	"onthestack/runner/queue"
	"onthestack/runner/remote"
	"onthestack/runner/settings"
	"onthestack/runner/store"
)

func (w work) remotely(ctx context.Context, t *queue.Task) (queue.Result, error) {
	question, err := json.Marshal(w.question)
	if err != nil {
		return queue.Result{}, fmt.Errorf("ask a worker: %w", err)
	}
	answer, err := w.cluster.pool.Do(ctx, question, t.Tell)
	switch {
	case err == nil:
		return queue.Result{Value: answer.Body, Transient: answer.Transient}, nil
	case ctx.Err() != nil:
		return queue.Result{}, context.Cause(ctx)
	}
	w.log.Warn("no worker answered a request, so this machine does it", "path", w.question.Kind, "error", err)
	return queue.Result{}, err
}

// A Worker does the work of the servers that use the same cluster. It takes no requests from clients.
type Worker struct {
	server  *Server
	journal *store.Journal
}

// NewWorker returns a worker. Run it with Work.
func NewWorker(set settings.Settings, catalog exercise.Catalog, log *slog.Logger) (*Worker, error) {
	// A worker does not listen. It works for a server that may have rooms, so EngineAuto means confined processes, as
	// it does for such a server.
	set.Room, set.Snippets = false, ""
	s, err := New(set, catalog, nil, log)
	if err != nil {
		return nil, err
	}
	var journal *store.Journal
	if s.store, err = store.Open(storeOptions(set, log)); err == nil {
		journal, err = s.store.Journal(context.Background())
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Worker{s, journal}, nil
}

// Close closes the worker. Work must not be running.
func (w *Worker) Close() error { return w.server.Close() }

// Work grades submissions and does requests of other servers until ctx is done. It calls ready when it begins.
func (w *Worker) Work(ctx context.Context, ready func()) error {
	s := w.server
	defer s.wait()
	built := make(chan struct{})
	close(built)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { s.warm(ctx, built); return nil })
	if await(ctx, s.warming.ready) == nil {
		worker := remote.Worker{Conn: s.store.Conn, Release: s.release.Version, Slots: s.settings.Concurrency,
			Do: s.doRemote, Log: s.log}
		all.Go(func() error { return worker.Run(ctx) })
		s.gradeAll(ctx, all, w.journal)
		ready()
	}
	return all.Wait()
}

// doRemote answers a question that another server was asked by a client.
func (s *Server) doRemote(ctx context.Context, text []byte, tell func(queue.Event)) (remote.Answer, error) {
	if now := s.builds.Counts(); now.Working-now.Background >= s.settings.Concurrency {
		return remote.Answer{}, remote.ErrBusy
	}
	var question analysis.Question
	if err := json.Unmarshal(text, &question); err != nil {
		return remote.Answer{}, fmt.Errorf("read the question of another server: %w", err)
	}
	// The request has no key, because that server has the answers. There, it does not wait.
	answer, err := s.builds.Do(ctx, &queue.Request{Client: "other servers", Kind: question.Kind,
		Work: work{s, question, s.tools.toolchain}.do, Notify: func(e queue.Event) {
			if e.Name != queue.EventQueued {
				tell(e)
			}
		}})
	return remote.Answer{Body: answer.Body, Transient: answer.Transient}, err
}
