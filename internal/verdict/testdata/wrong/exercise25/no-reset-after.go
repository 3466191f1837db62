// The Pool keeps the writer of the last response.
package reply

import (
	"compress/gzip"
	"io"
	"sync"
)

type Sender struct {
	writers sync.Pool
}

func NewSender() *Sender {
	s := &Sender{}
	s.writers.New = func() any { return gzip.NewWriter(nil) }
	return s
}

func (s *Sender) Send(w io.Writer, body []byte) error {
	zw := s.writers.Get().(*gzip.Writer)
	zw.Reset(w)
	_, err := zw.Write(body)
	if err == nil {
		err = zw.Close()
	}
	s.writers.Put(zw)
	return err
}
