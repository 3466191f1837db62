// Package api has the runner's HTTP server. It speaks the protocol of play.golang.org, which is /compile, /vet, /fmt,
// /share, /p/, /version and /_ah/health, and adds /check, /escape, /step, /api/exercises, /metrics and the site.
//
// A request passes through these files:
//
//   - dispatch.go makes the request's [jobs.Job], admits or refuses it (origins.go), and logs and counts it afterwards
//   - routes.go has the endpoint of each path
//   - work.go answers requests that cost processor time: it has the request read (request.go), has an executor of
//     package jobs do the job, and sends the answer (reply.go) or a stream of events (stream.go)
//   - check.go and programs.go read the requests for /check, and for the endpoints of the playground
//   - engine.go chooses what runs the tests of checks
//   - toolchain.go opens the releases of Go that build programs
//   - attempt.go has a process of package analysis answer the job's question, builds and runs what that asks for, and
//     counts that in the metrics
//   - formatprogram.go formats a program in a process of its own, whose code is in formatprocess.go
//   - rooms.go opens the rooms of classes; remote.go sends jobs to workers on other machines, and has the workers' side
//   - openapi.go describes the endpoints
//   - sharing.go stores and shows the programs that readers share, in the page that sharedpage.go fills in
//   - refusal.go turns errors into answers
//
// The promises to the owner of a server, such as what a hostile program cannot do, are tested in hostile_*_test.go.
package api

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/runner/jobs"
	"onthestack/runner/metrics"
	"onthestack/runner/remote"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/settings"
	"onthestack/runner/site"
	"onthestack/runner/store"
)

// A Server answers the requests of the runner. Use New to make one.
type Server struct {
	settings settings.Settings
	log      *slog.Logger
	catalog  exercise.Catalog
	cache    *jobs.Cache
	builds   *jobs.Executor  // of jobs that build and run programs
	formats  *jobs.Executor  // of jobs that format programs, which do not wait for builds
	store    *store.Store    // nil if nothing is stored
	shared   *store.Snippets // nil if programs cannot be shared
	metrics  *metrics.Metrics
	inflight inflight
	unsent   unsent
	beat     time.Duration // interval between keep-alive comments in streams: keepAliveTime
	warming  warming
	building *site.Build // builds the site meanwhile; nil if the site is not built

	unavailable string       // the reason why it cannot build and run; if set, the next three are nil
	toolchain                // for programs
	checks      *checkEngine // for the tests of checks
	further     further      // for programs that are stepped through on another release of Go

	// Without --room these are nil and "".
	journal    *store.Journal
	rooms      *roomhttp.Server
	instructor string // the instructor's token

	pool       *remote.Pool  // workers on other machines; nil without --nats
	localSlots chan struct{} // with a pool: the slots of this machine, --concurrency of them
}

// New returns a server for the exercises of the catalog. building builds the site while the server runs; it is nil if
// the site is not being built. New returns a build.ErrNoGo if no usable Go is installed. If the settings make Go
// optional, the server then refuses to build and run, and does the rest.
func New(
	set settings.Settings, catalog exercise.Catalog, building *site.Build, log *slog.Logger,
) (_ *Server, err error) {
	cache, err := jobs.NewCache(uint64(set.Cache))
	if err != nil {
		return nil, err
	}
	s := &Server{
		settings: set, log: log, catalog: catalog, building: building, cache: cache, beat: keepAliveTime,
		builds:  &jobs.Executor{Cache: cache, Queue: jobs.NewQueue(set.Concurrency, set.Queue)},
		formats: &jobs.Executor{Cache: cache, Queue: jobs.NewQueue(set.Concurrency, set.Queue)},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeTools())
		}
	}()
	switch err := s.openTools(); {
	case errors.Is(err, build.ErrNoGo) && set.GoOptional && !set.Room:
		s.unavailable = err.Error() + ", and start this server again"
		s.release = goRelease{Engine: engineNone, EngineReason: s.unavailable}
	case err != nil:
		return nil, err
	}
	queues := map[string]*jobs.Queue{"work": s.builds.Queue, "format": s.formats.Queue}
	s.metrics = metrics.New(s.release.Version, queues, cache)
	s.builds.Begin = s.begin
	s.builds.Waited = func(d time.Duration) { s.metrics.Waited("work", d) }
	s.formats.Waited = func(d time.Duration) { s.metrics.Waited("format", d) }
	s.warming.init()
	if set.Snippets != "" || set.Room {
		if err := s.openStore(context.Background()); err != nil {
			s.closeStore()
			return nil, err
		}
	}
	return s, nil
}

// storeOptions returns where the store is.
func storeOptions(set settings.Settings, log *slog.Logger) store.Options {
	return store.Options{
		Dir: filepath.Join(set.State, "jetstream"), MaxBytes: store.DefaultMaxBytes + set.Keep.Bytes, URL: set.NATS,
		Credentials: set.Creds, Log: log,
	}
}

// openStore opens the store, and the shared programs and the rooms in it.
func (s *Server) openStore(ctx context.Context) (err error) {
	s.store, err = store.Open(storeOptions(s.settings, s.log))
	if errors.Is(err, store.ErrInUse) && !s.settings.Room {
		s.log.Warn("programs cannot be shared", "error", err)
		return nil
	}
	if err == nil && s.settings.Snippets != "" {
		if s.shared, err = s.store.Snippets(ctx, s.settings.Keep); err == nil {
			s.metrics.Snippets(s.shared)
			err = s.logSnippets()
		}
	}
	if err == nil && s.settings.Room {
		err = s.openRooms(ctx)
	}
	return err
}

// openTools opens the toolchain that builds programs, and the engine of checks.
func (s *Server) openTools() (err error) {
	if s.toolchain, err = s.openToolchain(""); err != nil {
		return err
	}
	if s.checks, err = newCheckEngine(s.settings, s.buildLimits(), s.tools); err != nil {
		return err
	}
	s.release.Engine, s.release.EngineReason = s.checks.runner(s.settings.Check).Engine(), s.checks.reason
	return nil
}

// closeTools closes what openTools has opened.
func (s *Server) closeTools() (err error) {
	if s.checks != nil {
		err = s.checks.close(s.tools)
	}
	for _, t := range append(s.further.list(), s.toolchain) {
		if t.tools != nil {
			err = errors.Join(err, t.tools.Close())
		}
	}
	return err
}

// logSnippets logs how full the store of shared programs is. Once it is full, only the owner can make room, with
// flags.
func (s *Server) logSnippets() error {
	if _, err := os.Stat(s.settings.Snippets); err == nil {
		s.log.Warn("the shared programs of an earlier release are left alone: run that release to serve them, or "+
			"share them again; remove the file to end this message", "file", s.settings.Snippets)
	}
	held, err := s.shared.Stats(context.Background())
	if err != nil {
		return err
	}
	limits := s.settings.Keep
	attrs := []any{
		"folder", s.settings.State, "programs", held.Count, "of", limits.Count,
		"bytes", held.Bytes, "of_bytes", limits.Bytes,
	}
	nearly := func(held, limit int64) bool { return float64(held) >= 0.9*float64(limit) }
	if limits.Evict == 0 && (nearly(held.Count, limits.Count) || nearly(held.Bytes, limits.Bytes)) {
		s.log.Warn("the store of shared programs is nearly full; once it is full, no program can be shared: "+
			"raise --snippets-max or --snippets-bytes, or let old programs be removed with --snippets-evict", attrs...)
		return nil
	}
	s.log.Info("programs can be shared", attrs...)
	return nil
}

// Close closes the toolchain and the store. No request may be under way.
func (s *Server) Close() error {
	s.closeStore()
	return s.closeTools()
}

func (s *Server) closeStore() {
	if s.store != nil {
		s.store.Close()
	}
}
