package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/toolchain"
)

// A server answers requests. Its zero value is of no use: see newServer.
type server struct {
	config
	log     *slog.Logger
	catalog exercise.Catalog
	jobs    *queue // of what builds and runs
	formats *queue // of what is formatted, which does not wait for the others
	release release
	warming warming

	brisk, patient *toolchain.Toolchain // once the standard library is compiled, and before
}

// Limits for what one request builds.
var (
	// buildLimits hold once the standard library is compiled; until then patientLimits do.
	buildLimits   = toolchain.Limits{Time: 10 * time.Second, Output: 8 << 20, Memory: buildMemory}
	patientLimits = toolchain.Limits{Time: 5 * time.Minute, Output: 8 << 20, Memory: buildMemory}
)

// newServer returns a server for the exercises of the catalog. An error says what is missing on this machine.
func newServer(c config, catalog exercise.Catalog, log *slog.Logger) (*server, error) {
	brisk := toolchain.NewWasm(buildLimits)
	goVersion, err := brisk.Version()
	if err != nil {
		return nil, err
	}
	r, err := newRelease(goVersion)
	if err != nil {
		return nil, err
	}
	s := &server{
		config: c, log: log, catalog: catalog, release: r,
		jobs:    newQueue(c.concurrency, c.queue),
		formats: newQueue(c.concurrency, c.queue),
		brisk:   brisk, patient: toolchain.NewWasm(patientLimits),
	}
	s.warming.init()
	return s, nil
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/compile", s.work(s.turn, s.compile))
	mux.HandleFunc("/fmt", s.work(s.formats.enter, s.format))
	mux.HandleFunc("POST /check", s.work(s.turn, s.check))
	mux.HandleFunc("/check", s.postOnly("send the solution by POST"))
	mux.HandleFunc("POST /escape", s.work(s.turn, s.escape))
	mux.HandleFunc("/escape", s.postOnly("send the program by POST"))
	mux.HandleFunc("/version", s.version)
	mux.HandleFunc("/_ah/health", s.health)
	mux.Handle("GET /book/", s.serveBook())
	mux.Handle("GET /{$}", http.RedirectHandler("/book/", http.StatusFound))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, &refusal{http.StatusNotFound, "there is nothing at " + strconv.Quote(shorten(r.URL.Path, 100)) + ": the book is at /book/"})
	})
	return s.logged(secured(crossOrigin(mux)))
}

// postOnly answers requests by other methods.
func (s *server) postOnly(message string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "POST, OPTIONS")
		s.refuse(w, &refusal{http.StatusMethodNotAllowed, message})
	}
}

// secured sets the headers that every answer carries.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// crossOrigin lets pages of other origins use the API, as the playground does. There are no cookies, so such a page can do no
// more than its reader could. A preflight request is answered here.
func crossOrigin(next http.Handler) http.Handler {
	api := map[string]bool{"/compile": true, "/fmt": true, "/version": true, "/check": true, "/escape": true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !api[r.URL.Path] {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
	})
}

// A refusal is an error that the client is told.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

// work makes a handler of one that takes some work: it reads the request before it waits for its turn.
func (s *server) work(turn func(context.Context) (leave func(), err error), prepare func(*http.Request) (task, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		t, err := prepare(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		// The request is read. Left standing, its deadline would cancel the context of a request that waits for long.
		http.NewResponseController(w).SetReadDeadline(time.Time{})
		leave, err := turn(r.Context())
		if err != nil {
			s.fail(w, r, err)
			return
		}
		defer leave()
		result, err := t.do(r.Context())
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.reply(w, http.StatusOK, result.answer)
	}
}

// turn waits until the request may build and run.
func (s *server) turn(ctx context.Context) (leave func(), err error) {
	leave, err = s.jobs.enter(ctx)
	if err != nil {
		return nil, err
	}
	// The first requests on a new machine wait until what they all need is compiled.
	if err := s.warming.wait(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

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

// fail answers a request that came to nothing.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		s.refuse(w, refused)
	case errors.Is(err, errQueueFull):
		w.Header().Set("Retry-After", strconv.Itoa(s.jobs.retryAfter()))
		s.refuse(w, &refusal{http.StatusServiceUnavailable, err.Error()})
	case r.Context().Err() != nil:
		// Nobody is there to read it; the status is for the log.
		s.refuse(w, &refusal{statusClientGone, "the request was canceled"})
	default:
		s.log.Error("request failed", "path", r.URL.Path, "error", err)
		s.refuse(w, &refusal{http.StatusInternalServerError, "the runner could not do this; its log says why"})
	}
}

// statusClientGone is the status by which nginx logs a request whose client did not wait.
const statusClientGone = 499

func (s *server) refuse(w http.ResponseWriter, r *refusal) {
	s.reply(w, r.status, map[string]string{"error": r.message})
}

// buildMemory is what each process of a build may reserve. Linking a program takes less than 1 GiB.
const buildMemory = 2 << 30

// writeTime is how long sending an answer may take.
const writeTime = 30 * time.Second

func (s *server) reply(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		s.log.Error("encode an answer", "error", err)
		status, text = http.StatusInternalServerError, []byte(`{"error":"the runner could not encode its answer; its log says why"}`)
	}
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}
