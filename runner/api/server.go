// Package api has the runner's HTTP server. It speaks the protocol of play.golang.org, which is /compile, /vet, /fmt,
// /share, /p/, /version and /_ah/health, and adds /check, /escape, /step, /api/exercises, /metrics and the site.
//
// A request passes through these files:
//
//   - handler.go has the routes, and their description. It passes an admitted request to the handler of its route, and logs and counts it
//     afterwards. An endpoint is the handler of a request that costs processor time
//   - admission.go refuses requests of other origins, requests that arrive when the server stops, and requests of a
//     client that does not read its answers
//   - check.go and programs.go read what a request asks for
//   - package queue decides when that is done
//   - work.go does it, on this machine or on a worker: a process of package analysis answers the question, and what
//     that has built and run goes through progress.go
//   - answer.go sends the answer, a refusal, or a stream of events
//
// The other files: toolchain.go opens the releases of Go that build programs, engine.go chooses what runs the tests of
// checks, runprocess.go runs a program that takes long in a process of its own, and suspends it while others wait, and
// serve.go also measures a request's time. rooms.go opens the rooms of classes, remote.go has workers on other machines
// and the workers' side, and sharing.go stores and shows the programs that readers share, in the page that sharedpage.go
// fills in. joinpath.go leads /join/CODE to its page. workspace.go shares the reader's folder of exercises between pages
// and checkalloc.
//
// The promises to the owner of a server, such as what a hostile program cannot do, are tested in runner/hostile.
package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/runner/metrics"
	"onthestack/runner/queue"
	"onthestack/runner/request"
	"onthestack/runner/settings"
	"onthestack/runner/site"
	"onthestack/runner/store"
)

// A Server answers the requests of the runner. Use New to make one.
type Server struct {
	settings  settings.Settings
	log       *slog.Logger
	catalog   exercise.Catalog
	release   goRelease    // that builds programs
	builds    *queue.Queue // of requests that build and run programs
	formats   *queue.Queue // of requests that format programs, which do not wait for builds
	metrics   *metrics.Metrics
	stopping  atomic.Bool  // whether requests are refused because the server stops
	inflight  sync.RWMutex // locked for reading by each request, and for writing once the server has stopped
	unsent    unsent
	keepAlive time.Duration // interval between keep-alive comments in streams: request.KeepAlive
	warming   warming
	// listening is where Serve listens; nil before that.
	listening net.Addr

	// Each of these is complete, or nil if the server does not have it.
	tools     *tools // to build and run programs
	store     *store.Store
	shared    *store.Snippets // of programs
	rooms     *rooms
	cluster   *cluster
	building  *site.Build // of the site meanwhile
	workspace *sharedFolder
}

// New returns a server for the exercises of the catalog. building builds the site while the server runs; it is nil if
// the site is not being built. New returns a build.ErrNoGo if no usable Go is installed. If the settings make Go
// optional, the server then refuses to build and run, and does the rest.
func New(
	set settings.Settings, catalog exercise.Catalog, building *site.Build, log *slog.Logger,
) (_ *Server, err error) {
	s := &Server{settings: set, log: log, catalog: catalog, building: building, keepAlive: request.KeepAlive,
		warming: warming{make(chan struct{}), make(chan struct{})}}
	if s.builds, err = queue.New(set.Concurrency, set.Queue, uint64(set.Cache)); err != nil {
		return nil, err
	}
	if s.formats, err = queue.New(set.Concurrency, set.Queue, 0); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	switch s.tools, err = s.openTools(); {
	case err == nil:
		s.release = s.tools.release
		s.release.Engine = s.tools.testRunner(set.Check).Engine()
		s.release.EngineReason = s.tools.reason
	case errors.Is(err, build.ErrNoGo) && set.GoOptional && !set.Room:
		s.release = goRelease{Engine: engineNone, EngineReason: err.Error() + ", and start this server again"}
	default:
		return nil, err
	}
	s.metrics = metrics.New(s.release.Version, map[string]*queue.Queue{"work": s.builds, "format": s.formats})
	s.builds.Waited = func(d time.Duration) { s.metrics.Waited("work", d) }
	s.formats.Waited = func(d time.Duration) { s.metrics.Waited("format", d) }
	if set.SharesWorkspace() {
		if s.workspace, err = openFolder(set.Workspace, catalog); err != nil {
			return nil, err
		}
	}
	if set.Snippets != "" || set.Room {
		if err := s.openStore(context.Background()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

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

func (s *Server) wait() {
	s.builds.Wait()
	s.formats.Wait()
}

// Close closes what the server has opened. No request may be under way.
func (s *Server) Close() (err error) {
	if s.tools != nil {
		err = s.tools.close()
	}
	if s.store != nil {
		s.store.Close()
	}
	return err
}
