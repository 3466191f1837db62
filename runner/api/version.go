package api

import (
	"errors"
	"go/version"
	"net/http"
	"strings"

	"onthestack/internal/build"
)

// A goRelease is the Go release that builds programs, as the playground describes it.
type goRelease struct {
	Version string // "go1.26.8"
	Release string // "go1.26"
	Name    string // "Go 1.26"

	// Engine is what runs checks: "confined" or "wasm", or "none" without Go. The playground does not have it.
	Engine string
	// EngineReason is why the runner chose "wasm" by itself, or has "none". The playground does not have it.
	EngineReason string `json:",omitempty"`
	// Releases are the releases on which programs can be stepped through, as Version names them. They are absent if
	// there is only this one. The playground does not have them.
	Releases []string `json:",omitempty"`

	language string // for go.mod: "1.26"
}

// newGoRelease parses the output of "go env GOVERSION". A development version counts as the oldest release that the
// workbook supports.
func newGoRelease(goVersion string) (goRelease, error) {
	if goVersion == "" {
		return goRelease{}, errors.New("go env GOVERSION prints nothing: install Go from https://go.dev/dl/")
	}
	v, _, _ := strings.Cut(goVersion, " ")
	r := goRelease{Version: goVersion, Release: version.Lang(v)}
	if r.Release == "" {
		r.Release = build.Oldest
	}
	r.language = strings.TrimPrefix(r.Release, "go")
	r.Name = "Go " + r.language
	return r, nil
}

// version answers with the release, and with all releases on which programs can be stepped through.
func (s *Server) version(w http.ResponseWriter, r *http.Request) {
	answer := s.release
	if s.tools == nil {
		s.reply(w, http.StatusOK, answer)
		return
	}
	if all := s.toolchains(); len(all) > 1 {
		for _, t := range all {
			answer.Releases = append(answer.Releases, t.release.Version)
		}
	}
	s.reply(w, http.StatusOK, answer)
}
