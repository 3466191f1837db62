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
	"onthestack/runner/cache"
	"onthestack/runner/queue"
	"onthestack/runner/snippets"
)

// A server answers requests. Its zero value is of no use: see newServer.
type server struct {
	config
	log     *slog.Logger
	catalog exercise.Catalog
	results *cache.Cache
	jobs    *queue.Queue    // of what builds and runs
	formats *queue.Queue    // of what is formatted, which does not wait for the others
	shared  *snippets.Store // nil: programs cannot be shared
	metrics *metrics
	drain   drain
	beat    time.Duration // of streams: keepAliveTime
	release release
	warming warming

	tools *toolchain.Isolated
	zones []byte // the time zones that programs know
}

// newServer returns a server for the exercises of the catalog. An error says what is missing on this machine.
func newServer(c config, catalog exercise.Catalog, log *slog.Logger) (_ *server, err error) {
	limits := toolchain.StrangerLimits()
	limits.Time = c.buildTime
	tools, err := toolchain.OpenIsolated(c.data, limits, toolchain.IsolatedOptions{Modules: c.modules})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tools.Close())
		}
	}()
	goVersion, err := tools.Version()
	if err != nil {
		return nil, err
	}
	zones, err := tools.Zones()
	if err != nil {
		return nil, err
	}
	r, err := newRelease(goVersion)
	if err != nil {
		return nil, err
	}
	results, err := cache.New(uint64(c.cache))
	if err != nil {
		return nil, err
	}
	s := &server{
		config: c, log: log, catalog: catalog, release: r, results: results, beat: keepAliveTime,
		jobs:    queue.New(c.concurrency, c.queue),
		formats: queue.New(c.concurrency, c.queue),
		tools:   tools, zones: zones,
	}
	s.metrics = newMetrics(goVersion, map[string]*queue.Queue{"work": s.jobs, "format": s.formats}, results)
	s.warming.init()
	if c.snippets != "" {
		s.shared, err = snippets.Open(context.Background(), c.snippets, snippets.Limits{Count: int64(c.snippetsMax), Bytes: int64(c.snippetsBytes)})
		if err != nil {
			return nil, err
		}
		s.metrics.snippets(s.shared)
	}
	return s, nil
}

// close closes what newServer opened. No request may be under way.
func (s *server) close() error {
	err := s.tools.Close()
	if s.shared != nil {
		err = errors.Join(err, s.shared.Close())
	}
	return err
}

func (s *server) handler() http.Handler {
	nothing := func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, &refusal{http.StatusNotFound, "there is nothing at " + strconv.Quote(shorten(r.URL.Path, 100)) + ": the book is at /book/"})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/compile", s.work(s.turn, s.compile))
	mux.HandleFunc("/vet", s.work(s.turn, s.vet))
	mux.HandleFunc("/fmt", s.work(s.formatTurn, s.format))
	mux.HandleFunc("POST /check", s.streamed("verdict", s.turn, s.check, s.work(s.turn, s.check)))
	mux.HandleFunc("/check", s.postOnly("send the solution by POST"))
	mux.HandleFunc("POST /escape", s.work(s.turn, s.escape))
	mux.HandleFunc("/escape", s.postOnly("send the program by POST"))
	mux.HandleFunc("GET /api/exercises", s.exercises())
	play := &playground{store: s.shared, book: s.config.book, version: s.release.Version, log: s.log}
	mux.HandleFunc("/share", play.share)
	mux.HandleFunc("/p/", play.snippet)
	mux.HandleFunc("/play", play.playPage)
	mux.HandleFunc("/version", s.version)
	mux.HandleFunc("/_ah/health", s.health)
	mux.HandleFunc("GET /metrics", s.serveMetrics(nothing))
	mux.Handle("GET /book/", s.serveBook())
	mux.Handle("GET /{$}", http.RedirectHandler("/book/", http.StatusFound))
	mux.HandleFunc("/", nothing)
	return s.logged(mux, s.admitted(secured(crossOrigin(mux))))
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
	api := map[string]bool{"/compile": true, "/vet": true, "/fmt": true, "/version": true, "/check": true, "/escape": true, "/api/exercises": true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !api[r.URL.Path] {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodOptions {
			w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Cache")
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

// fail answers a request that came to nothing.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	refused, retry := s.refusalOf(r, err)
	if retry != "" {
		w.Header().Set("Retry-After", retry)
	}
	s.refuse(w, refused)
}

// refusalOf is what a client is told of an error, and in how many seconds it may send the same again, "" where that is of no
// use. Where the error is the server's own the log has it.
func (s *server) refusalOf(r *http.Request, err error) (_ *refusal, retry string) {
	var refused *refusal
	var full *queue.Full
	switch {
	case errors.As(err, &refused):
		return refused, ""
	case errors.As(err, &full):
		s.metrics.limit(limitQueue)
		return &refusal{http.StatusServiceUnavailable, full.Error()}, strconv.Itoa(int(full.RetryAfter / time.Second))
	case errors.Is(context.Cause(r.Context()), errStopping):
		return &refusal{http.StatusServiceUnavailable, "the runner is stopping: try again in " + retryStopping + " s"}, retryStopping
	case r.Context().Err() != nil:
		// Nobody is there to read it; the status is for the log.
		return &refusal{statusClientGone, "the request was canceled"}, ""
	}
	s.log.Error("request failed", "path", r.URL.Path, "error", err)
	return &refusal{http.StatusInternalServerError, "the runner could not do this; its log says why"}, ""
}

// statusClientGone is the status by which nginx logs a request whose client did not wait.
const statusClientGone = 499

// An errorAnswer is the answer to a request that came to nothing.
type errorAnswer struct {
	Error string `json:"error"`
}

func (s *server) refuse(w http.ResponseWriter, r *refusal) {
	s.reply(w, r.status, errorAnswer{r.message})
}

// writeTime is how long sending an answer may take.
const writeTime = 30 * time.Second

func (s *server) reply(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		s.log.Error("encode an answer", "error", err)
		status, text = http.StatusInternalServerError, []byte(`{"error":"the runner could not encode its answer; its log says why"}`)
	}
	s.send(w, status, text)
}

// send sends an answer that is JSON already. The text is left as it is: others may have the same.
func (s *server) send(w http.ResponseWriter, status int, text []byte) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	w.Write(text)
	w.Write([]byte{'\n'})
}
