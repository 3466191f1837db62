package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	// stopTime is how long requests, including those in the queue, have to finish after a signal.
	stopTime = 30 * time.Second
	// flushTime is how long the last answers have to be sent. Connections without a request are closed after it.
	flushTime = time.Second
)

// errStopping is the cause with which work ends when the server stops, and the error of requests that arrive then.
var errStopping = errors.New("the server stops")

// retryStopping is the Retry-After, in seconds, for clients of a server that stops: about how long a restart takes.
const retryStopping = "10"

// stop waits for the requests under way, whose contexts end with work, and cancels those that take longer than
// stopTime.
func (s *server) stop(
	work context.Context, cancel context.CancelCauseFunc, listener net.Listener, server *http.Server,
) error {
	s.log.Info("stopping", "wait", stopTime)
	s.warming.stop()
	waiting, done := context.WithTimeout(work, stopTime)
	defer done()
	// Open connections stay open at first, so that a request on one of them is answered that the server is stopping.
	s.inflight.close()
	listener.Close()
	finished := s.inflight.wait(waiting)
	cancel(errStopping)
	flushed, done := context.WithTimeout(context.WithoutCancel(work), flushTime)
	defer done()
	if server.Shutdown(flushed) != nil {
		server.Close()
	}
	if !finished {
		return fmt.Errorf("requests were cut off after %v", stopTime)
	}
	return nil
}
