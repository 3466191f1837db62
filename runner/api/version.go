package api

import (
	"errors"
	"go/version"
	"net/http"
	"strings"

	"onthestack/internal/build"
)

// A release is the Go release that builds programs, as the playground describes it.
type release struct {
	Version string // "go1.26.8"
	Release string // "go1.26"
	Name    string // "Go 1.26"

	language string // for go.mod: "1.26"
}

// newRelease parses the output of "go env GOVERSION". A development version counts as the oldest release that the
// workbook supports.
func newRelease(goVersion string) (release, error) {
	if goVersion == "" {
		return release{}, errors.New("go env GOVERSION prints nothing: install Go from https://go.dev/dl/")
	}
	v, _, _ := strings.Cut(goVersion, " ")
	r := release{Version: goVersion, Release: version.Lang(v)}
	if r.Release == "" {
		r.Release = build.Oldest
	}
	r.language = strings.TrimPrefix(r.Release, "go")
	r.Name = "Go " + r.language
	return r, nil
}

// version answers with the release.
func (s *Server) version(w http.ResponseWriter, r *http.Request) {
	s.reply(w, http.StatusOK, s.release)
}
