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
	// drainTime is how long requests under way and waiting have to finish after a signal.
	drainTime = 30 * time.Second
	// flushTime is how long the last answers have to leave; connections on which no request ever came are closed after it.
	flushTime = time.Second
)

// errStopping is why work ends that is under way when the server stops, and why a request is not let in then.
var errStopping = errors.New("the server stops")

// retryStopping is when a client that came while the server stops may try again, in seconds: about how long a restart takes.
const retryStopping = "10"

// stop lets the requests under way finish, in work, and cuts off those that take longer than drainTime.
func (s *server) stop(work context.Context, cutOff context.CancelCauseFunc, listener net.Listener, server *http.Server) error {
	s.log.Info("stopping", "wait", drainTime)
	s.warming.stop()
	waiting, done := context.WithTimeout(work, drainTime)
	defer done()
	// Connections that are open stay so for the time being: a request on one of them is told that the server stops.
	s.inflight.close()
	listener.Close()
	finished := s.inflight.wait(waiting)
	cutOff(errStopping)
	flushed, done := context.WithTimeout(context.WithoutCancel(work), flushTime)
	defer done()
	if server.Shutdown(flushed) != nil {
		server.Close()
	}
	if !finished {
		return fmt.Errorf("requests were cut off after %v", drainTime)
	}
	return nil
}
