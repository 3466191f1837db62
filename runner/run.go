package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"onthestack/internal/exercise"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// run serves until a signal ends it, and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if slices.Equal(args, []string{formatCommand}) {
		return formatOne(stdin, stdout, stderr)
	}
	c, err := parse(args, os.LookupEnv, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "runner: %v\nTry \"runner --help\".\n", err)
		return exitUsage
	}
	collectLess(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	if err := serve(ctx, c, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "runner: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// What the garbage collector is told, unless the user tells it otherwise by GOGC or GOMEMLIMIT. At Go's own 100 %, a fifth of the
// time of an interpreted program goes into collecting; the limit, which is a soft one, keeps the heap from growing to five times
// what is in use where that is much.
const (
	collectPercent = 400
	memoryLimit    = 1 << 30
)

func collectLess(lookup func(string) (string, bool)) {
	if _, ok := lookup("GOGC"); !ok {
		debug.SetGCPercent(collectPercent)
	}
	if _, ok := lookup("GOMEMLIMIT"); !ok {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// drainTime is how long requests under way and waiting have to finish after a signal.
const drainTime = 30 * time.Second

// flushTime is how long the last answers have to leave; connections on which no request ever came are closed after it.
const flushTime = time.Second

// errStopping is why work ends that is under way when the server stops.
var errStopping = errors.New("the server stops")

// serve serves until ctx is done, then lets requests finish that came before.
func serve(ctx context.Context, c config, stdout, stderr io.Writer) (err error) {
	log := newLog(c, stderr)
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	// Requests under way outlive ctx, but not this function.
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	s, err := newServer(c, catalog, log)
	if err != nil {
		return err
	}
	var warming sync.WaitGroup
	defer func() {
		// What is still under way ends before that on which it works is closed.
		cancel(errStopping)
		s.results.Wait()
		warming.Wait()
		err = errors.Join(err, s.close())
	}()
	listener, err := listen(c.addr, "--addr 127.0.0.1:8081")
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	if c.metricsAddr != "" {
		end, err := s.openMetrics(failed, stdout)
		if err != nil {
			listener.Close()
			return err
		}
		defer end()
	}
	warming.Go(func() { s.warm(work) })

	server := &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return work },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// No WriteTimeout: it would count the time in the queue too. Handlers set the deadline when they begin to write.
	}
	if !loopback(c.addr) {
		fmt.Fprintf(stdout, "%s can be reached by other machines: whoever does may build and run Go programs here, in the sandbox, "+
			"without a password and unencrypted: for more than a trusted network put a reverse proxy before it\n", c.addr)
	}
	fmt.Fprintf(stdout, "serving the workbook at http://%s\n", listener.Addr())

	go func() {
		if err := server.Serve(listener); ctx.Err() == nil {
			failed <- fmt.Errorf("serve on %s: %w", c.addr, err)
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping", "wait", drainTime)
	s.stopWarming()
	finished, done := context.WithTimeout(work, drainTime)
	defer done()
	// Connections that are open stay so for the time being: a request on one of them is told that the server stops.
	s.drain.close()
	listener.Close()
	drained := s.drain.wait(finished)
	// What is still under way now is cut off.
	cancel(errStopping)
	flushed, done := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer done()
	if server.Shutdown(flushed) != nil {
		server.Close()
	}
	if !drained {
		return fmt.Errorf("requests were cut off after %v", drainTime)
	}
	return nil
}

// newLog returns the log in the form that was asked for.
func newLog(c config, out io.Writer) *slog.Logger {
	if c.logJSON {
		return slog.New(slog.NewJSONHandler(out, nil))
	}
	return slog.New(slog.NewTextHandler(out, nil))
}

// listen listens on addr; other is the flag that chooses another port.
func listen(addr, other string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program: end that one, or choose another port, such as %s", addr, other)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return listener, nil
}

// openMetrics serves the metrics on a listener of their own until end is called. failed is told if it ends before.
func (s *server) openMetrics(failed chan<- error, stdout io.Writer) (end func(), err error) {
	listener, err := listen(s.metricsAddr, "--metrics-addr 127.0.0.1:9091")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.serve())
	server := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: writeTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	fmt.Fprintf(stdout, "serving metrics on http://%s/metrics\n", listener.Addr())
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve metrics on %s: %w", s.metricsAddr, err)
		}
	}()
	return func() { server.Close() }, nil
}
