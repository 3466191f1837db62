// The task: checkalloc task exercise24

// Package counter answers the requests for the price of a
// parcel that come from the counters of a post office.
package counter

import (
	"encoding/json"
	"errors"
	"io"
)

// ErrWeight is the error for a parcel without a weight.
var ErrWeight = errors.New("counter: a parcel has a weight")

// A request is what a counter asks. It may have other
// fields, which do not matter.
type request struct {
	ID      string `json:"id"`
	Town    string `json:"town"`
	Grams   int    `json:"grams"`
	Express bool   `json:"express"`
}

// A response is what the counter gets.
type response struct {
	ID    string `json:"id"`
	Town  string `json:"town"`
	Cents int    `json:"cents"`
}

// A Counter answers one request after the other. Each
// connection has a Counter of its own.
type Counter struct{}

// NewCounter returns a Counter.
func NewCounter() *Counter {
	return &Counter{}
}

// Answer reads a request, which is all of body, and writes
// the response to w, as one line of JSON in one Write:
//
//	{"id":"RB000000042","town":"Lund","cents":790}
//
// It returns the error of reading or of writing as it is.
// For a body that is no JSON or more than one value, and for
// a parcel without a weight, it returns an error and writes
// nothing.
//
// A body may be of any length, but few are long. A buffer of
// more than 16 KiB is not kept for later ones.
func (c *Counter) Answer(w io.Writer, body io.Reader) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var q request
	if err := json.Unmarshal(text, &q); err != nil {
		return err
	}
	if q.Grams <= 0 {
		return ErrWeight
	}
	line, err := json.Marshal(response{q.ID, q.Town, price(q)})
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// price returns what a parcel costs, in cents.
func price(q request) int {
	cents := 490 + (q.Grams-1)/1000*150
	if q.Express {
		cents *= 2
	}
	return cents
}
