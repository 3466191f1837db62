// Package request reads the bodies of HTTP requests, and sends answers in JSON and as streams of events (answer.go). A
// request that cannot be answered gets a Refusal, whose message is for the client. openapi.go describes the requests of
// an HTTP interface and their answers.
package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A Refusal is an error whose message is for the client.
type Refusal struct {
	Status  int // of the answer
	Message string
	Retry   string // seconds after which the client may send the same request again; "" if it should not
}

func (r *Refusal) Error() string { return r.Message }

func Refuse(status int, message string) *Refusal { return &Refusal{Status: status, Message: message} }

// Bad returns a refusal with status 400.
func Bad(format string, args ...any) error {
	return Refuse(http.StatusBadRequest, fmt.Sprintf(format, args...))
}

// TooLarge returns the refusal of something that is larger than limit, in bytes.
func TooLarge(what string, limit int64) *Refusal {
	return Refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the %s is larger than %d KiB", what, limit>>10))
}

// BodyError returns the refusal for an error in reading a body. A body is bounded by http.MaxBytesReader.
func BodyError(err error) error {
	var maxBytes *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &maxBytes):
		return TooLarge("request", maxBytes.Limit)
	case errors.As(err, &network) && network.Timeout():
		return Refuse(http.StatusRequestTimeout, "the request's body did not arrive in time")
	}
	return Bad("the request's body cannot be read: %v", err)
}

// ReadJSON decodes a whole body into v, which is a pointer. With strict, fields that v does not have are an error. Each
// error is a Refusal.
func ReadJSON(body io.Reader, v any, strict bool) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return BodyError(err)
	}
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return Bad("the request has no body")
	case !utf8.Valid(text):
		// encoding/json would replace invalid bytes with U+FFFD, and the program would not be the one that was sent.
		return Bad("the request's JSON is not valid UTF-8")
	}
	if escape := loneSurrogate(text); escape != "" {
		return Bad("the request's JSON has %s, an unpaired UTF-16 surrogate: send the character whole", escape)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if strict {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(v); err != nil {
		return Bad("the request is not the expected JSON: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Bad("the request has something after its JSON")
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
