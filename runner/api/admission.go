package api

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"onthestack/runner/request"
	"onthestack/runner/settings"
)

// admit reports whether a request may be answered. If so, it holds inflight for the request. Otherwise it has sent the
// refusal, or the answer to a preflight request.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if s.stopping.Load() || !s.inflight.TryRLock() {
		// The request came on a connection that was open already. New connections are refused by then.
		w.Header().Set("Connection", "close")
		s.fail(w, r, errStopping)
		return false
	}
	if refused := s.checkHost(s.settings.Addr, r); refused != nil {
		s.deny(w, r, refused)
	} else if s.checkOrigin(w, r) {
		return true
	}
	s.inflight.RUnlock()
	return false
}

// works reports whether a request for the path costs processor time or storage, whatever its method.
func works(path string) bool { return workPaths[path] || isRoom(path) }

var workPaths = map[string]bool{
	"/compile": true, "/vet": true, "/fmt": true, "/check": true, "/escape": true, "/step": true, "/share": true,
	"/_ah/health": true,
}

// isRoom reports whether the path belongs to the rooms.
func isRoom(path string) bool { return path == "/api/rooms" || strings.HasPrefix(path, "/api/rooms/") }

// isAPI reports whether the path is part of the protocol, and not a page for readers.
func isAPI(path string) bool {
	return works(path) || path == "/version" || path == "/api/exercises" || strings.HasPrefix(path, "/p/")
}

// checkOrigin sets the headers that let pages of the allowed origins read the answers of the API and shared programs,
// and reports whether the request is to be answered. It answers preflight requests itself.
//
// A page of any other origin can make the browser send a request too; the browser only hides the answer from it. Such a
// request would still cost processor time or storage on the reader's machine, or on the machine that serves the class,
// so checkOrigin refuses it at the paths in works. Clients other than browsers send no origin and are not affected.
func (s *Server) checkOrigin(w http.ResponseWriter, r *http.Request) bool {
	if !isAPI(r.URL.Path) {
		return true
	}
	origins := s.settings.Origins
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
	if (works(r.URL.Path) || preflight) && !origins.Any() {
		// CrossOriginProtection lets every GET pass, but at these paths a GET costs work too.
		asked := r.WithContext(r.Context())
		asked.Method = http.MethodPost
		if origins.Protection().Check(asked) != nil {
			s.deny(w, r, otherOrigin(origin))
			return false
		}
	}
	if preflight {
		if allowed {
			headers, methods := "Content-Type", "GET, POST, OPTIONS"
			if isRoom(r.URL.Path) {
				headers, methods = "Content-Type, Authorization, Idempotency-Key, Last-Event-ID",
					"GET, POST, PUT, PATCH, DELETE, OPTIONS"
			}
			h.Set("Access-Control-Allow-Headers", headers)
			h.Set("Access-Control-Allow-Methods", methods)
		}
		return false
	}
	if allowed {
		h.Set("Access-Control-Expose-Headers", "Retry-After, X-Cache")
	}
	return true
}

// otherOrigin returns the refusal for a page of another origin. Some requests of such pages have no Origin header.
func otherOrigin(origin string) *request.Refusal {
	named := "another origin"
	if origin != "" && origin != "null" {
		named = strconv.QuoteToASCII(shorten(origin, 100))
	}
	return request.Refuse(http.StatusForbidden,
		"pages of "+named+" may not use this runner: --allow-origin names the allowed origins")
}

// checkHost returns a refusal if the request's Host is not a name of this runner. --allow-host lists the names, and
// --public-url has another one.
// Without that flag, a runner that listens on loopback (addr) has only the names of this machine, but accepts any name
// through a trusted proxy, and a runner on any other address accepts all names.
func (s *Server) checkHost(addr string, r *http.Request) *request.Refusal {
	hosts := s.settings.Hosts
	switch {
	case !hosts.IsSet() && (!settings.Loopback(addr) || s.settings.Proxies.Forwarded(r)), hosts.Allow(r.Host),
		r.Host != "" && strings.EqualFold(r.Host, s.settings.PublicHost()):
		return nil
	}
	return request.Refuse(http.StatusForbidden, strconv.QuoteToASCII(shorten(r.Host, 100))+
		" is not a name of this runner: add it with --allow-host, or name the proxy that passes it on with "+
		"--trust-proxy")
}

// deny answers a request that is refused because of its origin or host: as plain text at paths whose clients do not
// expect JSON.
func (s *Server) deny(w http.ResponseWriter, r *http.Request, refused *request.Refusal) {
	w.Header().Set("Cache-Control", "no-store")
	if r.URL.Path == "/share" || strings.HasPrefix(r.URL.Path, "/p/") {
		s.failAsText(w, r, refused)
	} else {
		refused.Send(w)
	}
}

// maxUnsent bounds the bytes of answers that a client has requested and does not read. A program's output makes an
// answer of up to 6 MiB, and a connection on which the client reads nothing holds it for request.WriteTime.
const maxUnsent = 16 << 20

// errUnsent refuses the request of a client that has more than maxUnsent to read.
var errUnsent = &request.Refusal{Status: http.StatusServiceUnavailable, Retry: "30", // when request.WriteTime is over
	Message: "answers to your earlier requests are still unread: read them first"}

// unsent counts, by client, the bytes of the answers that are being sent. The zero value is ready to use.
type unsent struct {
	mu    sync.Mutex
	bytes map[string]int
}

// add adds n bytes to the client's count, or removes them if n is negative.
func (u *unsent) add(client string, n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes == nil {
		u.bytes = map[string]int{}
	}
	if u.bytes[client] += n; u.bytes[client] == 0 {
		delete(u.bytes, client)
	}
}

// check returns errUnsent if the client must read earlier answers first.
func (u *unsent) check(client string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes[client] > maxUnsent {
		return errUnsent
	}
	return nil
}
