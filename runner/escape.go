package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// An escapeResponse is the answer of /escape.
type escapeResponse struct {
	// Escapes is what the compiler says of the program, in the order of the source; never nil.
	Escapes []escape.Diagnostic `json:"escapes"`
	Errors  string              `json:"errors"` // of the build, as in a programResponse
}

func (s *server) escape(r *http.Request) (task, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return task{}, err
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) {
		response, err := s.report(ctx, []byte(req.Body))
		return result{answer: response}, err
	}}, nil
}

// report compiles the program for its escape report. Nothing of it runs, so it needs no func main.
func (s *server) report(ctx context.Context, text []byte) (*escapeResponse, error) {
	if problem := unbuildable(text); problem != "" {
		return &escapeResponse{Escapes: []escape.Diagnostic{}, Errors: problem}, nil
	}
	built, err := s.toolchain().BuildTest(ctx, s.reportable(text))
	if err != nil {
		return nil, fmt.Errorf("build a program for its report: %w", err)
	}
	defer built.Close()
	diagnostics, _, err := escape.Parse(bytes.NewReader(built.Output))
	if err != nil {
		return nil, fmt.Errorf("read the compiler's report: %w", err)
	}
	response := &escapeResponse{Escapes: ofProgram(diagnostics)}
	if !built.OK {
		built.Output = withoutReport(built.Output)
		response.Errors = buildErrors(built)
	}
	return response, nil
}

// reportable lays out a program for a build with the report, which is that of a test: a test file that is empty makes it one.
// As a package of its own it has no names in common with the program.
func (s *server) reportable(text []byte) verdict.Source {
	src := s.program(text)
	delete(src.Files, stackFile) // it is for running
	src.Files["prog_test.go"] = []byte("package main_test\n")
	return src
}

// ofProgram keeps what is said of the program's own file.
func ofProgram(diagnostics []escape.Diagnostic) []escape.Diagnostic {
	kept := []escape.Diagnostic{}
	for _, d := range diagnostics {
		d.File = localName(d.File)
		if d.Package != playModule || d.File != progFile || !d.Known() {
			continue
		}
		d.Flow = slices.Clone(d.Flow)
		for i := range d.Flow {
			d.Flow[i].File = localName(d.Flow[i].File)
			d.Flow[i].Text = strings.ReplaceAll(d.Flow[i].Text, playModule+"/"+progFile, progFile)
		}
		kept = append(kept, d)
	}
	slices.SortStableFunc(kept, func(a, b escape.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return kept
}

// localName is what the compiler calls a file, without the module's path.
func localName(file string) string { return strings.TrimPrefix(file, playModule+"/") }

// withoutReport removes the lines of the escape report, and those in which go test says that the build failed.
func withoutReport(output []byte) []byte {
	var kept bytes.Buffer
	for line := range bytes.Lines(output) {
		if bytes.HasPrefix(line, []byte("FAIL\t"+playModule)) || string(line) == "FAIL\n" {
			continue
		}
		if d, _, _ := escape.Parse(bytes.NewReader(line)); len(d) == 0 || !d[0].Known() {
			kept.Write(line)
		}
	}
	return kept.Bytes()
}
