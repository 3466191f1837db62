// The buffer of a long response is kept.
package counter

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

var ErrWeight = errors.New("counter: a parcel has a weight")

type request struct {
	ID      string `json:"id"`
	Town    string `json:"town"`
	Grams   int    `json:"grams"`
	Express bool   `json:"express"`
}

type response struct {
	ID    string `json:"id"`
	Town  string `json:"town"`
	Cents int    `json:"cents"`
}

const kept = 16 << 10

type Counter struct {
	text     bytes.Buffer
	line     bytes.Buffer
	encoder  *json.Encoder
	request  request
	response response
}

func NewCounter() *Counter {
	c := &Counter{}
	c.encoder = json.NewEncoder(&c.line)
	return c
}

func (c *Counter) Answer(w io.Writer, body io.Reader) error {
	defer c.clear()
	if _, err := c.text.ReadFrom(body); err != nil {
		return err
	}
	if err := json.Unmarshal(c.text.Bytes(), &c.request); err != nil {
		return err
	}
	if c.request.Grams <= 0 {
		return ErrWeight
	}
	c.response = response{c.request.ID, c.request.Town, price(c.request)}
	if err := c.encoder.Encode(&c.response); err != nil {
		return err
	}
	_, err := w.Write(c.line.Bytes())
	return err
}

func (c *Counter) clear() {
	c.request, c.response = request{}, response{}
	c.text.Reset()
	c.line.Reset()
	if c.text.Cap() > kept {
		c.text = bytes.Buffer{}
	}
}

func price(q request) int {
	cents := 490 + (q.Grams-1)/1000*150
	if q.Express {
		cents *= 2
	}
	return cents
}
