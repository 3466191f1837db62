package api

import (
	"net/http"
	"strconv"

	"onthestack/runner/clients"
	"onthestack/runner/request"
	"onthestack/runner/site"
)

// handler returns the server's handler. A new endpoint is a line here; one at a new path that costs processor time or
// storage also belongs into works, in origins.go.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /compile", s.work(s.builds, s.compile, ""))
	mux.HandleFunc("/compile", s.postOnly("send the program by POST"))
	mux.Handle("POST /vet", s.work(s.builds, s.vet, ""))
	mux.HandleFunc("/vet", s.postOnly("send the program by POST"))
	mux.Handle("POST /fmt", s.work(s.formats, s.format, ""))
	mux.HandleFunc("/fmt", s.postOnly("send the program by POST"))
	mux.Handle("POST /check", s.work(s.builds, s.check, "verdict"))
	mux.HandleFunc("/check", s.postOnly("send the solution by POST"))
	mux.Handle("POST /escape", s.work(s.builds, s.escape, ""))
	mux.HandleFunc("/escape", s.postOnly("send the program by POST"))
	// The steps of a program are up to 8 MiB of JSON that repeats itself.
	mux.Handle("POST /step", compressed(s.work(s.builds, s.step, "steps")))
	mux.HandleFunc("/step", s.postOnly("send the program by POST"))
	mux.Handle("/_ah/health", endpoint(s.health))
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
		rooms := s.rooms.Handler()
		mux.Handle("/api/rooms", rooms)
		mux.Handle("/api/rooms/", rooms)
	}
	pages := site.Files(s.settings.Files(), s.failSite)
	if s.building != nil {
		pages = s.preparing(pages)
	}
	pages = timely(siteWriteTime, pages)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			pages.ServeHTTP(w, r)
		} else {
			s.notFound(w, r)
		}
	})
	if s.building == nil {
		return s.dispatch(mux)
	}
	// Every progress page polls this path each second, so its requests are not logged.
	polled := http.NewServeMux()
	polled.HandleFunc("GET "+site.StatePath, func(w http.ResponseWriter, r *http.Request) {
		writeWithin(w, writeTime)
		setSecurityHeaders(w)
		if refused := s.checkHost(s.settings.Addr, r); refused != nil {
			s.deny(w, r, refused)
			return
		}
		s.preparing(nil).State(w, r)
	})
	polled.Handle("/", s.dispatch(mux))
	return polled
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

// setSecurityHeaders sets the headers that every answer has.
func setSecurityHeaders(w http.ResponseWriter) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}
