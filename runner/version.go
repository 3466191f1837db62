package main

import (
	"errors"
	"go/version"
	"net/http"
	"strings"

	"onthestack/internal/toolchain"
)

// A release is the Go release that builds, in the playground's shape.
type release struct {
	Version string // "go1.26.8"
	Release string // "go1.26"
	Name    string // "Go 1.26"

	language string // for go.mod: "1.26"
}

// newRelease takes what "go env GOVERSION" says. A development version counts as the oldest release that the workbook allows.
func newRelease(goVersion string) (release, error) {
	if goVersion == "" {
		return release{}, errors.New("go env GOVERSION says nothing: install Go from https://go.dev/dl/")
	}
	v, _, _ := strings.Cut(goVersion, " ")
	r := release{Version: goVersion, Release: version.Lang(v)}
	if r.Release == "" {
		r.Release = toolchain.Oldest
	}
	r.language = strings.TrimPrefix(r.Release, "go")
	r.Name = "Go " + r.language
	return r, nil
}

func (s *server) version(w http.ResponseWriter, r *http.Request) {
	s.reply(w, http.StatusOK, s.release)
}
