package main

import (
	"net/http"
	"strconv"

	"onthestack/runner/clients"
	"onthestack/runner/pages"
	"onthestack/runner/progresspage"
)

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /compile", s.work(s.job, s.compile))
	mux.HandleFunc("/compile", s.postOnly("send the program by POST"))
	mux.HandleFunc("POST /vet", s.work(s.job, s.vet))
	mux.HandleFunc("/vet", s.postOnly("send the program by POST"))
	mux.HandleFunc("POST /fmt", s.work(s.formatJob, s.format))
	mux.HandleFunc("/fmt", s.postOnly("send the program by POST"))
	mux.HandleFunc("POST /check", s.streamed("verdict", s.job, s.check, s.work(s.job, s.check)))
	mux.HandleFunc("/check", s.postOnly("send the solution by POST"))
	mux.HandleFunc("POST /escape", s.work(s.job, s.escape))
	mux.HandleFunc("/escape", s.postOnly("send the program by POST"))
	mux.Handle("GET /api/exercises", timely(writeTime, s.exercises()))
	play := &pages.Playground{
		Store: s.shared, Site: s.settings.Site, Log: s.log,
		Client:  func(r *http.Request) string { return recordOf(r.Context()).client },
		Limited: s.metrics.NotShared, Fail: s.failAsText,
	}
	mux.Handle("/share", timely(writeTime, http.HandlerFunc(play.Share)))
	mux.Handle("/p/", timely(writeTime, http.HandlerFunc(play.Snippet)))
	mux.HandleFunc("/version", s.version)
	mux.HandleFunc("/_ah/health", s.health)
	mux.HandleFunc("GET /metrics", s.showMetrics())
	site := pages.Site(s.settings.Site, s.failSite)
	if s.steps != nil {
		site = s.preparing(site)
	}
	site = timely(siteWriteTime, site)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			site.ServeHTTP(w, r)
		} else {
			s.nothing(w, r)
		}
	})
	answers := s.logged(mux, s.admitted(secured(s.checkHost(s.settings.Addr, s.crossOrigin(mux)))))
	if s.steps == nil {
		return answers
	}
	// Not logged: every progress page polls this path each second.
	asked := http.NewServeMux()
	asked.Handle("GET "+progresspage.StatePath, timely(writeTime, secured(s.checkHost(s.settings.Addr, http.HandlerFunc(s.preparing(nil).State)))))
	asked.Handle("/", answers)
	return asked
}

// preparing serves the site while it is built: the parts that exist, and progress pages in place of the others.
func (s *server) preparing(files http.Handler) *progresspage.Page {
	return &progresspage.Page{Steps: s.steps, Site: s.settings.Site, Next: files, Local: clients.IsLocal}
}

// nothing answers requests for what there is not.
func (s *server) nothing(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, &refusal{http.StatusNotFound, "there is nothing at " + strconv.Quote(shorten(r.URL.Path, 100)) + ": the site is at /"})
}

// postOnly refuses requests with other methods. A page of any web site can make the browser send a GET, for an image for example,
// without a header that names the page, so a GET must not cause work.
func (s *server) postOnly(message string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "POST, OPTIONS")
		s.refuse(w, &refusal{http.StatusMethodNotAllowed, message})
	}
}

// showMetrics shows the metrics to this machine alone: they tell how a class works, though not what it writes. Where they have
// a listener of their own they are not here.
func (s *server) showMetrics() http.HandlerFunc {
	if s.metrics == nil || s.settings.MetricsAddr != "" {
		return s.nothing
	}
	show := timely(writeTime, s.metrics.Handler())
	return func(w http.ResponseWriter, r *http.Request) {
		if clients.IsLocal(r) {
			show.ServeHTTP(w, r)
		} else {
			s.nothing(w, r)
		}
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
