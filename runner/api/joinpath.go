package api

import (
	"net/http"
	"strings"

	"onthestack/runner/room"
)

// fragmentOf returns where the page is that somebody means who has typed a path such as /join/K7M2QX or /JOIN/: a code
// belongs after a #, and the pages' names are in small letters. The answer is relative to the path, because a proxy may
// serve the site in a folder. It is "" for any other path, also if what follows is not a code.
func fragmentOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	page := strings.ToLower(parts[0])
	if page != "join" && page != "room" || len(parts) > 2 {
		return ""
	}
	to := strings.Repeat("../", strings.Count(path, "/")-1) + page + "/"
	if strings.Count(path, "/") == 1 {
		to = "./" + to
	}
	if len(parts) == 1 {
		if parts[0] == page {
			return "" // the page itself
		}
		return to
	}
	code := room.Normalize(parts[1])
	if !room.ValidCode(code) {
		return ""
	}
	return to + "#" + code
}

// toFragment leads such requests to their pages, and passes on all others.
func toFragment(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := fragmentOf(r.URL.Path)
		if to == "" {
			next.ServeHTTP(w, r)
			return
		}
		// http.Redirect would make the address absolute.
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
}
