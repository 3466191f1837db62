package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"onthestack/internal/exercise"
	"onthestack/runner/queue"
	"onthestack/runner/remote"
	"onthestack/runner/room/journal"
	"onthestack/runner/settings"
)

// readers has the paths whose requests other machines may do, each with its reader.
func (s *Server) readers() map[string]func(*http.Request) (queue.Request, error) {
	return map[string]func(*http.Request) (queue.Request, error){"/check": s.check, "/compile": s.compile, "/vet": s.vet,
		"/escape": s.escape, "/step": s.step}
}

// remotely has a worker do the work.
func (w work) remotely(ctx context.Context, t *queue.Task) (queue.Result, error) {
	if w.sent.Path == "" {
		return queue.Result{}, errNoWorker
	}
	answer, err := w.cluster.pool.Do(ctx, w.sent, remote.Progress{
		Stage:   func(name string) { t.Tell(queue.Stage(name)) },
		Picture: func(picture string) { t.Tell(queue.Event{Name: queue.EventPicture, Data: picture}) },
	})
	switch {
	case err == nil:
		return queue.Result{Value: answer.Body, Transient: answer.Transient}, nil
	case ctx.Err() != nil:
		return queue.Result{}, context.Cause(ctx)
	}
	w.log.Warn("no worker answered a request, so this machine does it", "path", w.sent.Path, "error", err)
	return queue.Result{}, err
}

// errNoWorker is the error for work that no worker can do.
var errNoWorker = errors.New("only this machine can do it")

// watchWorkers gives the queue the slots of the workers, until ctx is done.
func (s *Server) watchWorkers(ctx context.Context) error {
	return s.cluster.pool.Watch(ctx, func(slots int) { s.builds.SetSlots(s.settings.Concurrency + slots) })
}

// A Worker does the work of the servers that use the same cluster. It takes no requests from clients.
type Worker struct {
	server  *Server
	journal *journal.Journal
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
	opened, err := journal.Open(context.Background(), journalOptions(set, log))
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Worker{s, opened}, nil
}

// Close closes the worker. Work must not be running.
func (w *Worker) Close() error {
	w.journal.Close()
	return w.server.Close()
}

// Work grades submissions and does requests of other servers until ctx is done. It calls ready when it begins.
func (w *Worker) Work(ctx context.Context, ready func()) error {
	s := w.server
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	built := make(chan struct{})
	close(built)
	var all sync.WaitGroup
	run := func(f func(context.Context) error) {
		all.Go(func() {
			if err := f(ctx); err != nil {
				cancel(err) // the first cause counts
			}
		})
	}
	run(func(ctx context.Context) error { s.warm(ctx, built); return nil })
	if err := s.warming.wait(ctx); err != nil {
		all.Wait()
		return err
	}
	worker := remote.Worker{Conn: w.journal.Conn(), Release: s.release.Version, Slots: s.settings.Concurrency,
		Do: s.doRemote, Log: s.log}
	run(worker.Run)
	for range s.settings.Concurrency {
		run(func(ctx context.Context) error { return w.journal.Grade(ctx, s.grade) })
	}
	ready()
	all.Wait()
	s.wait()
	return context.Cause(ctx)
}

// doRemote does a request that another server has taken from a client.
func (s *Server) doRemote(ctx context.Context, r remote.Request, p remote.Progress) (remote.Answer, error) {
	read := s.readers()[r.Path]
	if read == nil {
		return remote.Answer{}, fmt.Errorf("%q is not for workers", shorten(r.Path, 100))
	}
	if now := s.builds.Counts(); now.Working-now.Background >= s.settings.Concurrency {
		return remote.Answer{}, remote.ErrBusy
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Path+"?"+r.Query, nil)
	if err != nil {
		return remote.Answer{}, err
	}
	request.Header.Set("Content-Type", r.ContentType)
	request.Body = body{bytes.NewReader(r.Body), r.Body}
	q, err := read(request)
	if err != nil {
		return remote.Answer{}, fmt.Errorf("read the request of another server: %w", err)
	}
	q.Client = "other servers"
	q.Key = queue.Key{} // that server has the answers
	q.Notify = func(e queue.Event) {
		if name, ok := e.StageName(); ok {
			p.Stage(name)
		} else if e.Name == queue.EventPicture {
			p.Picture(e.Data)
		}
	}
	answer, err := s.builds.Do(ctx, &q)
	return remote.Answer{Body: answer.Body, Transient: answer.Transient}, err
}
