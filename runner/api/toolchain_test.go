package api

import (
	"go/version"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/step"
)

// TestProofReleases steps through a program on another release of Go than the one that builds all else. If a release
// cannot be opened, the server logs that and does without it.
func TestProofReleases(t *testing.T) {
	ends, err := build.Ends(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	newest := ends[len(ends)-1]
	set := testSettings(2, 20)
	set.Releases = []string{"go1.999", "go1.26.1", version.Lang(newest)}
	var log syncBuffer
	s, err := New(set, sealedExercises(), nil, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	close(s.warming.ready)
	t.Cleanup(func() {
		s.wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	own := s.release
	if version.Lang(newest) == own.Release {
		t.Skipf("%s is the newest release", own.Release)
	}
	ts := startServer(t, s.handler())
	if v := decode[goRelease](t, send(t, "GET", ts.URL+"/version", "", "")); v.Releases != nil {
		t.Errorf("before they are open: %q", v.Releases)
	}
	s.openFurther(t.Context())
	for _, want := range []string{"there is no go1.999", "go1.26.1: this server has " + own.Version + " already"} {
		if !log.contains(want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
	v := decode[goRelease](t, send(t, "GET", ts.URL+"/version", "", ""))
	if want := []string{own.Version, newest}; v.Version != own.Version || !slices.Equal(v.Releases, want) {
		t.Fatalf("%s, releases %q, want %q:\n%s", v.Version, v.Releases, want, log.String())
	}

	const program = "package main\n\nimport \"runtime\"\n\n" +
		"func main() {\n\tp := new(int)\n\tprintln(runtime.Version(), *p)\n}\n"
	ask := func(name string) answer {
		return send(t, "POST", ts.URL+"/step", formType, url.Values{"body": {program}, "go": {name}}.Encode())
	}
	minor := strings.TrimPrefix(version.Lang(newest), "go")
	for _, c := range []struct{ name, prints, cache string }{
		{"", own.Version, "miss"},
		{minor, newest, "miss"},
		{"go" + minor, newest, "hit"},
		{strings.TrimPrefix(own.Release, "go"), own.Version, "hit"},
	} {
		a := ask(c.name)
		d := decode[step.Document](t, a)
		printed := ""
		for _, s := range d.Steps {
			printed += s.Output
		}
		if printed != c.prints+" 0\n" || d.Unmeasured != "" || a.header.Get("X-Cache") != c.cache {
			t.Errorf("on %q: printed %q, cache %s; want %q, %s", c.name, printed, a.header.Get("X-Cache"),
				c.prints, c.cache)
		}
	}
	wantError(t, ask("1.25"), http.StatusBadRequest,
		`this server does not have the release "1.25": it has `+own.Name+", Go "+minor)
	wantError(t, ask(strings.Repeat("9", 1000)), http.StatusBadRequest, `"99999999999999999999…"`)
}
