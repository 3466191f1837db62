package api

import (
	"mime"
	"net/http"
	"strconv"

	"onthestack/internal/execution"
	"onthestack/runner/request"
)

// Maximum sizes in bytes. Encoded as a form or as JSON, a program takes up to three times its size.
const (
	maxProgram = execution.MaxSource
	maxBody    = 3*maxProgram + 4<<10
)

var errProgramTooLarge = request.TooLarge("program", maxProgram)

// A programRequest is the body of a request for /compile, /vet, /escape and /step. Old clients send it as a form, newer
// ones as JSON.
type programRequest struct {
	Body    string
	WithVet bool
	Go      string // the release to step through the program on, "1.27"; only /step has it
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
		return req, request.Bad("the form has no program: send it as its value \"body\"")
	default:
		if err := request.ReadJSON(r.Body, &req, false); err != nil {
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
		return request.BodyError(err)
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
