package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestJoinPath follows what people type in place of /join/#CODE. "" is a path that is passed on.
func TestJoinPath(t *testing.T) {
	handler := toFragment(http.NotFoundHandler())
	for path, want := range map[string]string{
		"/join/K7M2QX": "/join/#K7M2QX", "/join/K7M2QX/": "/join/#K7M2QX", "/join/k7m-2qx": "/join/#K7M2QX",
		"/join/k7m%202qx": "/join/#K7M2QX", "/Join/K7M2QX": "/join/#K7M2QX", "/room/K7M2QX": "/room/#K7M2QX",
		"/JOIN": "/join/", "/JOIN/": "/join/", "/Room/": "/room/", "/JOIN/K7M2QX/": "/join/#K7M2QX",
		"/join": "", "/join/": "", "/room/": "", "/": "", "/join/index.html": "", "/join/K7M2Q": "", "/join/K7M2QXX": "",
		"/join/K7M2Q0": "", "/join/K7M2QX/more": "", "/joined/K7M2QX": "", "/K7M2QX": "", "/exercises/K7M2QX": "",
		"/join//K7M2QX": "", "/join/%2f%2fevil.example": "", "//evil.example/join": "", "/JOIN//": "/join/",
		"/join/" + strings.Repeat("K7M2QX", 1000): "", strings.Repeat("/join", 100): "",
	} {
		r := httptest.NewRequest("GET", "http://class.example.org"+path, nil)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		got := ""
		if w.Code == http.StatusFound {
			to, err := url.Parse(w.Header().Get("Location"))
			if err != nil || to.Host != "" || to.Scheme != "" || strings.HasPrefix(to.Path, "/") {
				t.Errorf("%s leads to %v, %v", path, to, err)
				continue
			}
			at := *r.URL
			at.Path = r.URL.Path
			got = at.ResolveReference(to).Path
			if to.Fragment != "" {
				got += "#" + to.Fragment
			}
		}
		if got != want {
			t.Errorf("%s leads to %q, want %q", path, got, want)
		}
	}
	for _, c := range []struct{ path, location string }{{"/JOIN", "./join/"}, {"/class/join", ""}} {
		if got := fragmentOf(c.path); got != c.location {
			t.Errorf("%s: %q, want %q", c.path, got, c.location)
		}
	}
}
