package api

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"onthestack/runner/clients"
	"onthestack/runner/queue"
	"onthestack/runner/request"
	"onthestack/runner/site"
)

// handler returns the server's handler. A new endpoint is a line here; one at a new path that costs processor time or
// storage also belongs into works, in admission.go.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	work := func(path, what string, e endpoint) {
		e.Server = s
		mux.Handle("POST "+path, e)
		mux.HandleFunc(path, s.postOnly("send the "+what+" by POST"))
	}
	work("/compile", "program", endpoint{queue: s.builds, read: s.program})
	work("/vet", "program", endpoint{queue: s.builds, read: s.program})
	work("/fmt", "program", endpoint{queue: s.formats, read: s.format})
	work("/check", "solution", endpoint{queue: s.builds, read: s.check, last: "verdict"})
	work("/escape", "program", endpoint{queue: s.builds, read: s.program})
	work("/step", "program", endpoint{queue: s.builds, read: s.step, last: "steps", compressed: true})
	mux.HandleFunc("/_ah/health", s.health)
	mux.HandleFunc("/version", s.version)
	mux.HandleFunc("GET /metrics", s.showMetrics())
	mux.Handle("GET /api/exercises", timely(writeTime, s.exercises()))
	shared := &sharing{
		Store: s.shared, Site: s.settings.Files(), Log: s.log, Client: s.client,
		Limited: s.metrics.NotShared, Fail: s.failAsText,
	}
	mux.Handle("/share", timely(writeTime, http.HandlerFunc(shared.Share)))
	mux.Handle("/p/", timely(writeTime, http.HandlerFunc(shared.Snippet)))
	if s.rooms != nil {
		rooms := s.rooms.server.Handler()
		mux.Handle("/api/rooms", rooms)
		mux.Handle("/api/rooms/", rooms)
	}
	pages := site.Files(s.settings.Files(), s.failSite)
	if s.building != nil {
		progress := s.preparing(pages)
		pages = progress
		mux.Handle("GET "+site.StatePath, timely(writeTime, http.HandlerFunc(progress.State)))
	}
	pages = timely(siteWriteTime, pages)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			pages.ServeHTTP(w, r)
		} else {
			s.notFound(w, r)
		}
	})
	return s.dispatch(mux)
}

// An endpoint answers the requests of a route that cost processor time.
type endpoint struct {
	*Server
	queue *queue.Queue
	// read reads a request, and returns its Key and Work. Its error is a refusal if the request is at fault.
	read func(r *http.Request) (queue.Request, error)
	// Clients may ask for server-sent events, the last of which has this name; "" if not. See stream.
	last       string
	compressed bool // for clients that accept that
}

// maxDiscarded bounds the rest of a request that is too large, in bytes.
const maxDiscarded = 4 << 20

// ServeHTTP reads a request, has the queue do its work, and sends the answer.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.tools == nil && e.queue == e.builds {
		e.refuse(w, e.unable())
		return
	}
	if e.last != "" {
		w.Header().Add("Vary", "Accept")
	}
	q, err := e.request(w, r)
	if err == nil {
		err = e.unsent.check(q.Client)
	}
	answer := e.answer
	switch {
	case err != nil:
		e.fail(w, r, err)
		return
	case e.last != "" && wantsEvents(r.Header.Values("Accept")):
		answer = e.stream
	}
	if !e.compressed {
		answer(w, r, &q)
		return
	}
	gzhttp.GzipHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, &q) })).
		ServeHTTP(w, r)
}

// request reads a request.
func (e endpoint) request(w http.ResponseWriter, r *http.Request) (queue.Request, error) {
	whole := r.Body
	r.Body = http.MaxBytesReader(w, whole, maxBody)
	q, err := e.read(r)
	if refused := (*request.Refusal)(nil); errors.As(err, &refused) &&
		refused.Status == http.StatusRequestEntityTooLarge {
		// A client that still sends when the connection is closed does not get to read the answer. Sending more than
		// this is its own choice.
		io.CopyN(io.Discard, whole, maxDiscarded)
	}
	// The read deadline is for the body, which has arrived. It would also cancel the request's context while it waits.
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	q.Client = recordOf(r).client
	return q, err
}

// A record is what the log and the metrics have of a request.
type record struct {
	client string
	route  string
	answer queue.Answer // of a request that costs processor time
}

// recordKey is the key of a request's *record in its context.
type recordKey struct{}

// recordOf returns the record of a request.
func recordOf(r *http.Request) *record {
	if rec, ok := r.Context().Value(recordKey{}).(*record); ok {
		return rec
	}
	return new(record)
}

// dispatch answers every request: it admits or refuses the request, and passes it to its handler. Afterwards it logs
// the request and counts it under its route.
func (s *Server) dispatch(mux *http.ServeMux) http.Handler {
	names := clients.NewPseudonyms()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		_, pattern := mux.Handler(r)
		rec := &record{client: s.client(r), route: routeOf(pattern)}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
		response := &statusRecorder{ResponseWriter: w}
		returned := false
		// Deferred, so that a request whose handler panics is logged too.
		defer func() {
			if !returned && response.status == 0 {
				response.status = http.StatusInternalServerError
			}
			// Every progress page polls this path each second.
			if s.building == nil || r.URL.Path != site.StatePath {
				s.logRequest(r, rec, response, names.Of(rec.client), time.Since(start))
			}
		}()
		if s.admit(response, r) {
			defer s.inflight.RUnlock()
			mux.ServeHTTP(response, r)
		}
		returned = true
	})
}

// preparing returns a handler for the site while it is being built: it serves the parts that exist, and progress pages
// in place of the others.
func (s *Server) preparing(files http.Handler) *site.Progress {
	return &site.Progress{Build: s.building, Dir: s.settings.Site, Next: files}
}

// notFound answers requests for which there is no route.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	path := strconv.Quote(shorten(r.URL.Path, 100))
	s.refuse(w, request.Refuse(http.StatusNotFound, "there is nothing at "+path+": the site is at /"))
}

// postOnly refuses requests with other methods. A page of any web site can make the browser send a GET, for an image
// for example, without a header that names the page. A GET must therefore not cause work.
func (s *Server) postOnly(message string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "POST, OPTIONS")
		s.refuse(w, request.Refuse(http.StatusMethodNotAllowed, message))
	}
}

// showMetrics serves the metrics to requests from this machine alone, because they show how a class works, though not
// what it writes. With --metrics-addr they are not on this listener at all.
func (s *Server) showMetrics() http.HandlerFunc {
	if s.metrics == nil || s.settings.MetricsAddr != "" {
		return s.notFound
	}
	show := timely(writeTime, s.metrics.Handler())
	return func(w http.ResponseWriter, r *http.Request) {
		if clients.IsLocal(r) {
			show.ServeHTTP(w, r)
		} else {
			s.notFound(w, r)
		}
	}
}

// logRequest logs a request and counts it. The log has no source code: not the body, and not the query, which may
// contain a program.
func (s *Server) logRequest(
	r *http.Request, rec *record, response *statusRecorder, client string, took time.Duration,
) {
	status := cmp.Or(response.status, http.StatusOK)
	line := []slog.Attr{
		slog.String("method", shorten(r.Method, 20)), slog.String("path", shorten(r.URL.Path, 100)),
		slog.Int("status", status),
		slog.Int("bytes", response.bytes), slog.Int64("ms", took.Milliseconds()), slog.String("client", client),
	}
	if rec.answer.CacheStatus != "" {
		line = append(line, slog.String("cache", string(rec.answer.CacheStatus)))
	}
	if rec.answer.Waited >= time.Millisecond {
		line = append(line, slog.Int64("queue_ms", rec.answer.Waited.Milliseconds()))
	}
	s.log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request", line...)
	s.metrics.Request(rec.route, status, took)
}

// routeOf returns the path of a route's pattern: "/p/" for every shared program, "other" for pages and for paths
// without a route.
func routeOf(pattern string) string {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		pattern = path
	}
	switch pattern {
	case "", "/":
		return "other"
	}
	return pattern
}

// shorten truncates s to n bytes and appends an ellipsis. Shorter text is returned unchanged.
func shorten(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// A statusRecorder notes the status and the size of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

// Unwrap is for http.ResponseController.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush is for the package that compresses answers, which does not unwrap.
func (r *statusRecorder) Flush() { http.NewResponseController(r.ResponseWriter).Flush() }

func (r *statusRecorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *statusRecorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}
