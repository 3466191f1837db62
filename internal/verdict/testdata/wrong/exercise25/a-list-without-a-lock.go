// The list of free writers has no lock.
package reply

import (
	"compress/gzip"
	"io"
)

type Sender struct {
	free []*gzip.Writer
}

func NewSender() *Sender {
	return &Sender{}
}

func (s *Sender) Send(w io.Writer, body []byte) error {
	var zw *gzip.Writer
	if n := len(s.free); n > 0 {
		zw, s.free = s.free[n-1], s.free[:n-1]
	} else {
		zw = gzip.NewWriter(nil)
	}
	zw.Reset(w)
	_, err := zw.Write(body)
	if err == nil {
		err = zw.Close()
	}
	zw.Reset(nil)
	s.free = append(s.free, zw)
	return err
}
