package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"onthestack/internal/exercise"
	"onthestack/runner/jobs"
	"onthestack/runner/remote"
	"onthestack/runner/settings"
	"onthestack/runner/store"
)

// readers has the paths whose requests other machines may do, each with its reader.
func (s *Server) readers() map[string]reader {
	return map[string]reader{"/check": s.check, "/compile": s.compile, "/vet": s.vet, "/escape": s.escape,
		"/step": s.step}
}

// A recorder keeps the body of a request while it is read.
type recorder struct {
	io.Reader
	io.Closer
	body bytes.Buffer
}

func record(r *http.Request) *recorder {
	c := &recorder{Closer: r.Body}
	c.Reader = io.TeeReader(r.Body, &c.body)
	r.Body = c
	return c
}

// localOrRemote returns the job's work, to be done on this machine if it has a free slot, and otherwise by a worker.
// The slots of the queue are those of all machines, so that there is a free one somewhere. Work that no worker can do,
// and work in the background, is done on this machine.
func (s *Server) localOrRemote(r remote.Request, j *jobs.Job) jobs.Work {
	if s.pool == nil || s.readers()[r.Path] == nil {
		return j.Work
	}
	here := s.withLocalSlot(j.Work)
	waiting := func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		select {
		case s.localSlots <- struct{}{}:
			return here(ctx, slot)
		case <-ctx.Done():
			return jobs.Result{}, context.Cause(ctx)
		}
	}
	only, work := j.Here, j.Work
	return func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		switch {
		case slot.InBackground():
			return work(ctx, slot)
		case only:
			return waiting(ctx, slot)
		}
		select {
		case s.localSlots <- struct{}{}:
			return here(ctx, slot)
		default:
		}
		tell, told := slot.Tell, map[jobs.Event]bool{}
		slot.Tell = func(e jobs.Event) {
			if !told[e] {
				told[e] = true
				tell(e)
			}
		}
		slot.Timer.Pause() // the worker measures the request's time
		answer, err := s.pool.Do(ctx, r, remote.Progress{
			Stage:   func(name string) { slot.Tell(jobs.Stage(name)) },
			Picture: func(picture string) { tell(jobs.Event{Name: jobs.EventPicture, Data: picture}) },
		})
		slot.Timer.Resume()
		switch {
		case err == nil:
			return jobs.Result{Value: answer.Body, Transient: answer.Transient}, nil
		case ctx.Err() != nil:
			return jobs.Result{}, context.Cause(ctx)
		}
		s.log.Warn("no worker answered a request, so this machine does it", "path", r.Path, "error", err)
		return waiting(ctx, slot)
	}
}

// withLocalSlot returns work for which a slot of this machine was taken. The slot is free again when the work has ended
// or moved to the background.
func (s *Server) withLocalSlot(work jobs.Work) jobs.Work {
	return func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		leave := sync.OnceFunc(func() { <-s.localSlots })
		defer leave()
		slot.OnBackground = leave
		return work(ctx, slot)
	}
}

// watchWorkers gives the queue the slots of the workers, until ctx is done.
func (s *Server) watchWorkers(ctx context.Context) error {
	return s.pool.Watch(ctx, func(slots int) { s.builds.Queue.SetSlots(s.settings.Concurrency + slots) })
}

// NewWorker returns a server that takes no requests from clients: it does the work of the servers that use the same
// cluster. Run it with Work.
func NewWorker(set settings.Settings, catalog exercise.Catalog, log *slog.Logger) (*Server, error) {
	// A worker does not listen. It works for a server that may have rooms, so EngineAuto means confined processes, as
	// it does for such a server.
	set.Room, set.Snippets = false, ""
	s, err := New(set, catalog, nil, log)
	if err != nil {
		return nil, err
	}
	if s.store, err = store.Open(storeOptions(set, log)); err == nil {
		s.journal, err = s.store.Journal(context.Background())
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Work grades submissions and does requests of other servers until ctx is done. It calls ready when it begins.
func (s *Server) Work(ctx context.Context, ready func()) error {
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
	worker := remote.Worker{Conn: s.store.Conn, Release: s.release.Version, Slots: s.settings.Concurrency,
		Do: s.doRemote, Log: s.log}
	run(worker.Run)
	for range s.settings.Concurrency {
		run(func(ctx context.Context) error { return s.journal.Grade(ctx, s.grade) })
	}
	ready()
	all.Wait()
	s.cache.Wait()
	return context.Cause(ctx)
}

// doRemote does a request that another server has taken from a client.
func (s *Server) doRemote(ctx context.Context, r remote.Request, p remote.Progress) (remote.Answer, error) {
	read := s.readers()[r.Path]
	if read == nil {
		return remote.Answer{}, fmt.Errorf("%q is not for workers", shorten(r.Path, 100))
	}
	if now := s.builds.Queue.Counts(); now.Working-now.Background >= s.settings.Concurrency {
		return remote.Answer{}, remote.ErrBusy
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Path+"?"+r.Query, bytes.NewReader(r.Body))
	if err != nil {
		return remote.Answer{}, err
	}
	request.Header.Set("Content-Type", r.ContentType)
	j := &jobs.Job{Client: "other servers", Kind: r.Path}
	if err := read(request, j); err != nil {
		return remote.Answer{}, err // cannot happen: the server that sent it has parsed it
	}
	j.Key = jobs.Key{} // that server has the cache
	j.Notify = func(e jobs.Event) {
		if name, ok := e.StageName(); ok {
			p.Stage(name)
		} else if e.Name == jobs.EventPicture {
			p.Picture(e.Data)
		}
	}
	body, err := s.builds.Do(ctx, j)
	return remote.Answer{Body: body, Transient: j.Transient}, err
}
