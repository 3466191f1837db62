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

	"onthestack/internal/programs"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
	"onthestack/runner/clients"
	"onthestack/runner/queue"
	"onthestack/runner/request"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/settings"
	"onthestack/runner/site"
)

// handler returns the server's handler. A new endpoint is a line here; one at a new path that costs processor time or
// storage also belongs into works, in admission.go.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	work := func(path, what string, e endpoint) {
		e.Server = s
		mux.Handle("POST "+path, e)
		// A page of any web site can make the browser send a GET, for an image for example, without a header that names
		// the page. A GET must therefore not cause work.
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", "POST, OPTIONS")
			request.Refuse(http.StatusMethodNotAllowed, "send the "+what+" by POST").Send(w)
		})
	}
	work("/compile", "program", endpoint{queue: s.builds, read: s.program})
	work("/vet", "program", endpoint{queue: s.builds, read: s.program})
	work("/fmt", "program", endpoint{queue: s.formats, read: s.format})
	work("/check", "solution", endpoint{queue: s.builds, read: s.check, last: "verdict", judged: s.judged})
	work("/escape", "program", endpoint{queue: s.builds, read: s.program})
	work("/step", "program", endpoint{queue: s.builds, read: s.step, last: "steps", compressed: true})
	mux.HandleFunc("/_ah/health", s.health)
	mux.HandleFunc("/version", s.version)
	mux.HandleFunc("GET /metrics", s.showMetrics())
	mux.Handle("GET /api/exercises", timely(request.WriteTime, s.exercises()))
	mux.Handle("/share", timely(request.WriteTime, http.HandlerFunc(s.share)))
	mux.Handle("/p/", timely(request.WriteTime, http.HandlerFunc(s.snippet)))
	mux.Handle("GET "+workspacePath, s.inFolder(s.showProgress))
	mux.Handle("GET "+workspacePath+"/{exercise}", s.inFolder(s.showCopy))
	mux.Handle("PUT "+workspacePath+"/{exercise}", s.inFolder(s.changeCopy))
	rooms := http.Handler(http.HandlerFunc(s.noRooms))
	if s.rooms != nil {
		rooms = s.rooms.server.Handler()
	}
	mux.Handle("/api/rooms", rooms)
	mux.Handle("/api/rooms/", rooms)
	pages := site.Files(s.settings.Files(), s.failSite)
	if s.building != nil {
		progress := &site.Progress{Build: s.building, Dir: s.settings.Site, Next: pages}
		pages = progress
		mux.Handle("GET "+site.StatePath, timely(request.WriteTime, http.HandlerFunc(progress.State)))
	}
	pages = toFragment(timely(siteWriteTime, pages))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			s.tellWorkspace(w, r)
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
	// judged, unless nil, is called with the body of each answer, before it is sent.
	judged func(r *http.Request, body []byte)
}

// maxDiscarded bounds the rest of a request that is too large, in bytes.
const maxDiscarded = 4 << 20

// ServeHTTP reads a request, has the queue do its work, and sends the answer.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.tools == nil && e.queue == e.builds {
		e.unable().Send(w)
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

// A record notes of a request and its answer what the log and the metrics have.
type record struct {
	http.ResponseWriter
	client string
	route  string
	files  map[string]string // of the solution that is checked
	answer queue.Answer      // of a request that costs processor time
	status int
	bytes  int
}

// recordKey is the key of a request's *record in its context.
type recordKey struct{}

func recordOf(r *http.Request) *record {
	if rec, ok := r.Context().Value(recordKey{}).(*record); ok {
		return rec
	}
	return new(record)
}

// Unwrap is for http.ResponseController.
func (r *record) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush is for the package that compresses answers, which does not unwrap.
func (r *record) Flush() { http.NewResponseController(r.ResponseWriter).Flush() }

func (r *record) WriteHeader(status int) {
	r.status = cmp.Or(r.status, status)
	r.ResponseWriter.WriteHeader(status)
}

func (r *record) Write(p []byte) (int, error) {
	r.status = cmp.Or(r.status, http.StatusOK)
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}

// dispatch answers every request: it admits or refuses the request, and passes it to its handler. Afterwards it logs
// the request and counts it under its route.
func (s *Server) dispatch(mux *http.ServeMux) http.Handler {
	names := clients.NewPseudonyms()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		_, pattern := mux.Handler(r)
		rec := &record{ResponseWriter: w, client: s.client(r), route: routeOf(pattern)}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
		returned := false
		// Deferred, so that a request whose handler panics is logged too.
		defer func() {
			if !returned {
				rec.status = cmp.Or(rec.status, http.StatusInternalServerError)
			}
			// Every progress page polls this path each second, and every page the workspace.
			polled := s.building != nil && r.URL.Path == site.StatePath || rec.status == http.StatusNotModified &&
				isWorkspace(r.URL.Path)
			if !polled {
				s.logRequest(r, rec, names.Of(rec.client), time.Since(start))
			}
		}()
		if s.admit(rec, r) {
			defer s.inflight.RUnlock()
			mux.ServeHTTP(rec, r)
		}
		returned = true
	})
}

// notFound answers requests for which there is no route.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	path := strconv.Quote(shorten(r.URL.Path, 100))
	request.Refuse(http.StatusNotFound, "there is nothing at "+path+": the site is at /").Send(w)
}

// noRooms answers the requests of the pages for rooms on a server that has none.
func (s *Server) noRooms(w http.ResponseWriter, _ *http.Request) {
	start := `"make room", or with the flag --room on`
	if s.settings.Command != "" {
		start = strconv.Quote(string(settings.OneFileRoom))
	}
	request.Refuse(http.StatusNotFound, "this server has no rooms: start one that has with "+start).Send(w)
}

// showMetrics serves the metrics to requests from this machine alone, because they show how a class works, though not
// what it writes. With --metrics-addr they are not on this listener at all.
func (s *Server) showMetrics() http.HandlerFunc {
	if s.settings.MetricsAddr != "" {
		return s.notFound
	}
	show := timely(request.WriteTime, s.metrics.Handler())
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
func (s *Server) logRequest(r *http.Request, rec *record, client string, took time.Duration) {
	status := cmp.Or(rec.status, http.StatusOK)
	line := []slog.Attr{
		slog.String("method", shorten(r.Method, 20)), slog.String("path", shorten(r.URL.Path, 100)),
		slog.Int("status", status), slog.Int("bytes", rec.bytes), slog.Int64("ms", took.Milliseconds()),
		slog.String("client", client),
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
	pattern = pattern[strings.IndexByte(pattern, ' ')+1:]
	if pattern == "" || pattern == "/" {
		return "other"
	}
	return pattern
}

// shorten truncates s to n bytes or, within a character, to fewer, and appends an ellipsis. Shorter text is returned
// unchanged.
func shorten(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

const (
	mediaText request.Media = "text/plain"
	mediaGo   request.Media = "text/x-go"
)

// operations describes the handlers of handler.go. Package roomhttp describes the handlers of rooms.
func operations() []request.Operation {
	all := []request.Operation{
		{Method: "POST", Path: "/check", Body: checkRequest{}, Answer: verdict.Verdict{},
			Summary: "Checks a solution. With Accept: text/event-stream it streams the stages, then the verdict."},
		{Method: "POST", Path: "/compile", Form: true, Answer: programs.Response{},
			Summary: "Builds a program and runs it."},
		{Method: "POST", Path: "/vet", Form: true, Answer: programs.Response{}, Summary: "Vets a program."},
		{Method: "POST", Path: "/fmt", Form: true, Answer: programs.Formatted{}, Summary: "Formats a program."},
		{Method: "POST", Path: "/escape", Form: true, Answer: programs.Report{},
			Summary: "Returns the compiler's escape report on a program, and a verdict on its benchmarks."},
		{Method: "POST", Path: "/step", Form: true, Answer: request.SchemaText(step.JSONSchema),
			Values: map[string]string{"go": "one of the releases that /version lists, without its patch: 1.27"},
			Summary: "Runs a program statement by statement, and returns its stack and its heap after each. With " +
				"Accept: text/event-stream it streams the picture before the allocations are counted, then the steps."},
		{Method: "POST", Path: "/share", Form: true, Answer: mediaText,
			Summary: "Stores a program, whose text is the body, and returns its ID."},
		{Method: "GET", Path: "/p/{program}", Answer: mediaGo, Summary: "Returns a shared program: ID.go."},
		{Method: "GET", Path: "/version", Answer: goRelease{},
			Summary: "Returns the release of Go, and those on which programs can be stepped through."},
		{Method: "GET", Path: "/api/exercises", Answer: []catalogEntry{},
			Summary: "Returns the exercises with their starters."},
		{Method: "GET", Path: workspacePath, Answer: workspace.Progress{},
			Summary: "Returns the progress in the workspace of --workspace, to this machine alone."},
		{Method: "GET", Path: workspacePath + "/{exercise}", Answer: workspaceCopy{},
			Summary: "Returns the reader's code in the workspace, to this machine alone."},
		{Method: "PUT", Path: workspacePath + "/{exercise}", IfMatch: true, Body: workspaceChange{},
			Answer: workspaceCopy{}, Summary: "Replaces the reader's code in the workspace, for this machine alone. If " +
				"the code there is another one by now, the answer has status 412 and that code."},
		{Method: "GET", Path: "/_ah/health", Answer: mediaText,
			Summary: "Answers ok if a program can be built and run."},
		{Method: "GET", Path: "/metrics", Answer: mediaText,
			Summary: "Returns the metrics, to this machine alone."},
	}
	for i := range all {
		all[i].Access, all[i].Status = request.Anybody, http.StatusOK
	}
	return append(all, roomhttp.Operations()...)
}

// OpenAPI returns the description of the server's HTTP interface, as OpenAPI 3.1 in JSON.
func OpenAPI() ([]byte, error) {
	return request.OpenAPI("On the Stack",
		"The runner of the workbook On the Stack: it checks exercises, runs Go programs as "+
			"play.golang.org does, and keeps the rooms of classes.", operations())
}
