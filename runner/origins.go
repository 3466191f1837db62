package main

import (
	"net/http"
	"strconv"
	"strings"

	"onthestack/runner/settings"
)

// works are the paths at which a request costs work or room, by any method.
var works = map[string]bool{
	"/compile": true, "/vet": true, "/fmt": true, "/check": true, "/escape": true, "/share": true, "/_ah/health": true,
}

// isAPI reports whether clients of the protocol, rather than readers, ask for the path.
func isAPI(path string) bool {
	return works[path] || path == "/version" || path == "/api/exercises" || strings.HasPrefix(path, "/p/")
}

// crossOrigin lets pages of the origins that were allowed use the API and what is shared. For other pages than those and the
// runner's own a browser may ask too, it only keeps the answer from them: what costs work or room is refused, for it would be
// done on the reader's machine, or on that of the reader's class, for a page that happened to be open. Clients that are no
// browsers name no origin. A preflight request is answered here.
func (s *server) crossOrigin(next http.Handler) http.Handler {
	origins := s.settings.Origins
	protection := origins.Protection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isAPI(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		h, origin := w.Header(), r.Header.Get("Origin")
		allowed := origins.Allow(origin)
		if origins.Any() {
			h.Set("Access-Control-Allow-Origin", "*")
		} else {
			h.Add("Vary", "Origin")
			if allowed {
				h.Set("Access-Control-Allow-Origin", origin)
			}
		}
		preflight := r.Method == http.MethodOptions
		if (works[r.URL.Path] || preflight) && !origins.Any() {
			// To the protection a GET is safe: here it is not.
			asked := r.WithContext(r.Context())
			asked.Method = http.MethodPost
			if protection.Check(asked) != nil {
				s.deny(w, r, foreign(origin))
				return
			}
		}
		switch {
		case preflight && allowed:
			h.Set("Access-Control-Allow-Headers", "Content-Type")
			h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
		case preflight:
		default:
			if allowed {
				h.Set("Access-Control-Expose-Headers", "Retry-After, X-Cache")
			}
			next.ServeHTTP(w, r)
		}
	})
}

// foreign refuses a request that a browser made for a page of another origin. Some requests of such pages name none.
func foreign(origin string) *refusal {
	if origin == "" || origin == "null" {
		return &refusal{http.StatusForbidden, "pages of another origin may not use this runner: --allow-origin names those that may"}
	}
	return &refusal{http.StatusForbidden, "pages of " + strconv.QuoteToASCII(shorten(origin, 100)) + " may not use this runner: --allow-origin names those that may"}
}

// named refuses requests for a name that is not this runner's, where it is known which names it has: those that were given by
// --allow-host, or where it listens on loopback, at addr, this machine's own; a proxy that is trusted may be asked for any name.
func (s *server) named(addr string, next http.Handler) http.Handler {
	hosts, proxies := s.settings.Hosts, s.settings.Proxies
	if !hosts.Named() && !settings.Loopback(addr) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hosts.Allow(r.Host) || !hosts.Named() && proxies.Passed(r) {
			next.ServeHTTP(w, r)
			return
		}
		s.deny(w, r, &refusal{http.StatusForbidden, strconv.QuoteToASCII(shorten(r.Host, 100)) +
			" is no name of this runner: --allow-host names those that are, --trust-proxy a proxy that may be asked for any"})
	})
}

// deny answers a request that is refused for where it comes from, as text where the path's clients know no JSON.
func (s *server) deny(w http.ResponseWriter, r *http.Request, refused *refusal) {
	w.Header().Set("Cache-Control", "no-store")
	if r.URL.Path == "/share" || strings.HasPrefix(r.URL.Path, "/p/") {
		s.failAsText(w, r, refused)
	} else {
		s.refuse(w, refused)
	}
}
