package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"onthestack/internal/execution"
	"onthestack/runner/jobs"
)

// Maximum sizes in bytes. Encoded as a form or as JSON, a program takes up to three times its size.
const (
	maxProgram = execution.MaxSource
	maxBody    = 3*maxProgram + 4<<10
)

var (
	errTooLarge        = tooLarge("request", maxBody)
	errProgramTooLarge = tooLarge("program", maxProgram)
)

// tooLarge returns the refusal of something that is larger than limit, in bytes.
func tooLarge(what string, limit int) *refusal {
	return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the %s is larger than %d KiB", what, limit>>10)}
}

// badRequest returns a refusal with status 400.
func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// bodyError returns the refusal for an error in reading a request's body.
func bodyError(err error) error {
	var maxBytes *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &maxBytes):
		return errTooLarge
	case errors.As(err, &network) && network.Timeout():
		return &refusal{http.StatusRequestTimeout, "the request's body did not arrive in time"}
	}
	return badRequest("the request's body cannot be read: %v", err)
}

// readJSON decodes the whole body into v. With strict, fields that v does not have are an error.
func readJSON(r *http.Request, v any, strict bool) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return bodyError(err)
	}
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return badRequest("the request has no body")
	case !utf8.Valid(body):
		// encoding/json would replace invalid bytes with U+FFFD, and the program would not be the one that was sent.
		return badRequest("the request's JSON is not valid UTF-8")
	}
	if escape := loneSurrogate(body); escape != "" {
		return badRequest("the request's JSON has %s, an unpaired UTF-16 surrogate: "+
			"send the character whole", escape)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if strict {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(v); err != nil {
		return badRequest("the request is not the expected JSON: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return badRequest("the request has something after its JSON")
	}
	return nil
}

// loneSurrogate returns the first escape of a UTF-16 surrogate that is not part of a pair, or "". encoding/json would
// replace it with U+FFFD, as it does with invalid UTF-8. In JSON, backslashes occur only in strings, and each begins an
// escape.
func loneSurrogate(body []byte) string {
	unit := func(at int) rune {
		if at+6 > len(body) || body[at] != '\\' || body[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(body[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for at := 0; at < len(body); at++ {
		if body[at] != '\\' {
			continue
		}
		first := unit(at)
		switch {
		case !utf16.IsSurrogate(first):
			at++ // the escaped character may be a backslash
		case utf16.DecodeRune(first, unit(at+6)) != utf8.RuneError:
			at += 11
		default:
			return string(body[at : at+6])
		}
	}
	return ""
}

// A programRequest is the body of a request for /compile, /vet, /escape and /step. Old clients send it as a form, newer
// ones as JSON.
type programRequest struct {
	Body    string
	WithVet bool
	Go      string // the release to step through the program on, "1.27"; only /step has it
}

// readProgram reads a program, and sets the job's key.
func (s *Server) readProgram(r *http.Request, j *jobs.Job) (programRequest, error) {
	req, err := readProgramRequest(r)
	if err == nil {
		j.Key = s.keyOf(r, strconv.FormatBool(req.WithVet)+" "+req.Body)
	}
	return req, err
}

// keyOf returns the key of a job whose answer depends on this text, the path and the release of Go.
func (s *Server) keyOf(r *http.Request, text string) jobs.Key {
	return jobs.KeyOf(r.URL.Path, s.release.Version, text)
}

// readProgramRequest reads a program from a form, from the query, or from JSON.
func readProgramRequest(r *http.Request) (programRequest, error) {
	if err := readForm(r); err != nil {
		return programRequest{}, err
	}
	req := programRequest{Body: r.Form.Get("body")}
	switch {
	case req.Body != "":
		req.WithVet, _ = strconv.ParseBool(r.Form.Get("withVet"))
		req.Go = r.Form.Get("go")
	case isForm(r):
		return req, badRequest("the form has no program: send it as its value \"body\"")
	default:
		if err := readJSON(r, &req, false); err != nil {
			return req, err
		}
	}
	if len(req.Body) > maxProgram {
		return req, errProgramTooLarge
	}
	return req, nil
}

// readForm fills in r.Form from the query and, where the body is a form, from the body.
func readForm(r *http.Request) error {
	err := r.ParseForm()
	// ParseMultipartForm alone would swallow ParseForm's error.
	if err == nil && mediaType(r) == "multipart/form-data" {
		err = r.ParseMultipartForm(maxBody)
	}
	if err != nil {
		return bodyError(err)
	}
	return nil
}

func isForm(r *http.Request) bool {
	kind := mediaType(r)
	return kind == "application/x-www-form-urlencoded" || kind == "multipart/form-data"
}

func mediaType(r *http.Request) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind
}
