// The error of Write is lost, and the response closed.
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
	zw.Write(body)
	err := zw.Close()
	if err != nil {
		err = nil
	}
	zw.Reset(nil)
	s.writers.Put(zw)
	return err
}
