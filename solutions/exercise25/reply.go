// The task: checkalloc task exercise25

// Package reply sends the responses of a web service.
package reply

import (
	"compress/gzip"
	"io"
	"sync"
)

// A Sender sends responses. All handlers share one, each in
// a goroutine of its own.
//
// Changed: a gzip.Writer has about 800 KB, a window and the
// tables in which it finds what occurred before. None of it
// belongs to a response, so it is kept. As many are in use
// as there are calls at once, and a Pool has the others.
type Sender struct {
	writers sync.Pool // of *gzip.Writer
}

// NewSender returns a Sender.
func NewSender() *Sender {
	s := &Sender{}
	s.writers.New = func() any { return gzip.NewWriter(nil) }
	return s
}

// Send compresses a body with gzip, writes it to w, and
// returns the error of that. A body that is empty is
// compressed, too.
//
// Send keeps none of its arguments. Goroutines may call it
// at once. A Write of w takes its time, and w may use the
// Sender, too: its Write may call Send, or wait for one that
// another goroutine has called. Whether it fails or panics,
// the Sender is as good as before.
func (s *Sender) Send(w io.Writer, body []byte) error {
	zw := s.writers.Get().(*gzip.Writer)
	// Changed: Reset makes the writer as good as new, whatever
	// happened to it before: after an error, it would return
	// that error forever.
	zw.Reset(w)
	_, err := zw.Write(body)
	if err == nil {
		err = zw.Close()
	}
	// Changed: without this Reset, the Pool would keep w, and
	// what it leads to. Put comes last, also after an error.
	// It is not deferred: if a Write panics, the collector
	// gets the writer, which costs nothing that matters.
	zw.Reset(nil)
	s.writers.Put(zw)
	// The cost: 800 KB stay in use for each call at once, as
	// long as the service is busy.
	return err
}
