// The task: checkalloc task exercise24

// Package counter answers the requests for the price of a
// parcel that come from the counters of a post office.
package counter

import (
	"bytes"
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

// kept is the largest capacity of a buffer that is kept.
const kept = 16 << 10

// A Counter answers one request after the other. Each
// connection has a Counter of its own.
//
// Changed: it has the buffers, and the values that package
// json gets the addresses of. They would otherwise be on the
// heap in each call, since json takes an any.
type Counter struct {
	text     bytes.Buffer // of the request
	line     bytes.Buffer // of the response
	encoder  *json.Encoder
	request  request
	response response
}

// NewCounter returns a Counter.
func NewCounter() *Counter {
	c := &Counter{}
	c.encoder = json.NewEncoder(&c.line)
	return c
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
	defer c.clear()
	// Changed: ReadFrom fills a buffer that has grown already,
	// where io.ReadAll begins with 512 bytes each time.
	if _, err := c.text.ReadFrom(body); err != nil {
		return err
	}
	// Unmarshal copies the strings out of the text, so that it
	// can be used again. A json.Decoder would have a buffer of
	// its own, and accept a body with a second value.
	if err := json.Unmarshal(c.text.Bytes(), &c.request); err != nil {
		return err
	}
	if c.request.Grams <= 0 {
		return ErrWeight
	}
	// Changed: an Encoder writes into the buffer, where
	// json.Marshal returns a copy. It ends the line itself. A
	// pointer in an any is no allocation, a struct is.
	c.response = response{c.request.ID, c.request.Town, price(c.request)}
	if err := c.encoder.Encode(&c.response); err != nil {
		return err
	}
	_, err := w.Write(c.line.Bytes())
	return err
}

// Changed: clear makes the Counter ready for the next request.
// Unmarshal sets only the fields that the text has, so the
// others would keep what they were. The strings go, and so do
// large buffers.
func (c *Counter) clear() {
	c.request, c.response = request{}, response{}
	c.text.Reset()
	c.line.Reset()
	if c.text.Cap() > kept {
		c.text = bytes.Buffer{}
	}
	if c.line.Cap() > kept {
		c.line = bytes.Buffer{}
	}
	// The cost: all of this, and a Counter that can answer one
	// request at a time.
}

// price returns what a parcel costs, in cents.
func price(q request) int {
	cents := 490 + (q.Grams-1)/1000*150
	if q.Express {
		cents *= 2
	}
	return cents
}
