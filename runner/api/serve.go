package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"onthestack/internal/execution"
	"onthestack/runner/request"
	"onthestack/runner/store"
)

// flushTime is how long the last answers have to be sent. Connections without a request are closed after it.
const flushTime = time.Second

// errStopping is the cause with which work ends when the server stops, and the refusal of requests that arrive then.
var errStopping = &request.Refusal{Status: http.StatusServiceUnavailable, Retry: retryStopping,
	Message: "the runner is stopping: try again in " + retryStopping + " s"}

// retryStopping is about how long a restart takes, in seconds.
const retryStopping = "10"

// Serve answers requests on the listener, and requests for the metrics also on the other listener, unless that is
// nil. Meanwhile it compiles the standard library: the part that not every program needs once built is closed. When
// ctx ends, Serve refuses new requests and returns after those under way have finished. It is an error if that takes
// longer than --stop-time.
func (s *Server) Serve(ctx context.Context, listener, metrics net.Listener, built <-chan struct{}) error {
	s.listening = listener.Addr()
	// Requests under way may outlive ctx, but not this function.
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	defer func() {
		cancel(errStopping)
		s.wait()
		background.Wait()
	}()
	warming, stopWarming := context.WithCancel(work)
	defer stopWarming()
	background.Go(func() {
		s.warm(warming, built)
		s.warmFurther(warming)
	})

	failed := make(chan error, 3)
	if s.rooms != nil {
		background.Go(func() {
			if err := s.runRooms(work); work.Err() == nil {
				where := s.settings.State
				if s.settings.NATS != "" {
					where = store.Hosts(s.settings.NATS)
				}
				failed <- fmt.Errorf("the rooms in %s: %w", where, err)
			}
		})
	}
	server := s.httpServer(work)
	go func() {
		if err := server.Serve(listener); ctx.Err() == nil {
			failed <- fmt.Errorf("serve on %s: %w", s.settings.Addr, err)
		}
	}()
	if metrics != nil {
		server := s.metricsServer()
		defer server.Close()
		go func() {
			if err := server.Serve(metrics); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve metrics on %s: %w", s.settings.MetricsAddr, err)
			}
		}()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		stopWarming()
		return s.stop(work, cancel, listener, server)
	}
}

func (s *Server) httpServer(work context.Context) *http.Server {
	return &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return work },
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// There is no WriteTimeout, because it would include the time in the queue. See request.WriteWithin.
	}
}

func (s *Server) metricsServer() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	handler := func(w http.ResponseWriter, r *http.Request) {
		if refused := s.checkHost(s.settings.MetricsAddr, r); refused != nil {
			s.deny(w, r, refused)
			return
		}
		mux.ServeHTTP(w, r)
	}
	return &http.Server{
		Handler:        http.HandlerFunc(handler),
		ReadTimeout:    10 * time.Second,
		WriteTimeout:   request.WriteTime,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
}

// stop waits for the requests under way and in the queue, whose contexts end with work. It cancels requests that take
// longer than --stop-time.
func (s *Server) stop(
	work context.Context, cancel context.CancelCauseFunc, listener net.Listener, server *http.Server,
) error {
	stopTime := s.settings.StopTime
	s.log.Info("stopping", "wait", stopTime)
	if s.rooms != nil {
		s.rooms.server.EndStreams() // they would never end by themselves
	}
	waiting, done := context.WithTimeout(work, stopTime)
	defer done()
	// Open connections stay open at first, so that a request on one of them is answered that the server is stopping.
	s.stopping.Store(true)
	idle := make(chan struct{})
	go func() {
		s.inflight.Lock() // no later request is admitted
		close(idle)
	}()
	listener.Close()
	finished := await(waiting, idle) == nil
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

// timedOut returns the limit that a request has reached, if err is the end of its time: if all its builds and runs
// together take longer than --request-time, the context of its work ends with an execution.StopError. That is turned
// into the result of a build or a run that reached its limit, because the program is at fault.
func timedOut(err error) (execution.Stop, bool) {
	var over execution.StopError
	ok := errors.As(err, &over)
	return over.Stop, ok
}

// A requestTimer ends the work of a request when its time is over. While the work's program is suspended, the timer is
// paused.
type requestTimer struct {
	limit execution.Stop

	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration // when it was last started
	start time.Time     // of the timer; zero while it is paused
}

// withRequestTime returns a context that ends after d, without the time in which the
// timer is paused.
func withRequestTime(ctx context.Context, d time.Duration) (context.Context, *requestTimer, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	limit := execution.Stop{Kind: execution.RequestTime, Time: d}
	end := func() { cancel(execution.StopError{Stop: limit}) }
	t := &requestTimer{limit: limit, left: d, timer: time.AfterFunc(d, end), start: time.Now()}
	return ctx, t, func() { t.pause(); cancel(nil) }
}

// pause stops the timer until resume is called. A timer that is paused or has ended stays as it is.
func (t *requestTimer) pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.start.IsZero() && t.timer.Stop() {
		t.left -= time.Since(t.start)
		t.start = time.Time{}
	}
}

// resume lets a paused timer go on. A timer that is not paused stays as it is.
func (t *requestTimer) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start.IsZero() {
		t.start = time.Now()
		t.timer.Reset(t.left)
	}
}
