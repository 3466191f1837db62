package main

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"io"
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

const healthProgram = "package main\n\nfunc main() { print(\"ok\") }\n"

// health answers "ok" when a program can be built and run, and waits for its turn to find out.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	leave, err := s.turn(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	if err := s.healthy(r.Context()); err != nil {
		s.fail(w, r, err)
		return
	}
	io.WriteString(w, "ok")
}

func (s *server) healthy(ctx context.Context) error {
	r, err := s.runProgram(ctx, programRequest{Body: healthProgram})
	if err != nil {
		return err
	}
	response := r.answer.(*programResponse)
	if response.Errors != "" || len(response.Events) != 1 || response.Events[0].Message != "ok" {
		return fmt.Errorf("health check: a program that prints \"ok\" gave %+v", *response)
	}
	return nil
}
