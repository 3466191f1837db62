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
	"sync"
	"syscall"
	"time"

	"onthestack/internal/exercise"
	terminal "onthestack/internal/progress"
	"onthestack/runner/buildsite"
	"onthestack/runner/settings"
)

// serve serves until ctx is done. It then refuses new requests, and returns when those under way have ended.
func serve(ctx context.Context, set settings.Settings, stdout, stderr io.Writer) (err error) {
	line := terminal.New(stderr)
	if set.Prepare {
		stderr = line // the log appears above the status line
	}
	log := newLog(set, stderr)
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	// Requests under way may outlive ctx, but not this function.
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	s, err := newServer(set, catalog, log)
	if err != nil {
		return err
	}
	if set.Prepare {
		if s.steps, err = buildsite.New(line); err != nil {
			return errors.Join(err, s.close())
		}
	}
	preparing, stopPreparing := context.WithCancel(ctx)
	defer stopPreparing()
	var background sync.WaitGroup
	defer func() {
		// All work ends before the toolchain and the store that it uses are closed.
		cancel(errStopping)
		stopPreparing()
		s.cache.Wait()
		background.Wait()
		err = errors.Join(err, s.close())
	}()
	listener, err := openListener(set)
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	if set.MetricsAddr != "" {
		end, err := s.openMetrics(failed, stdout)
		if err != nil {
			listener.Close()
			return err
		}
		defer end()
	}
	prepared := make(chan struct{})
	background.Go(func() { s.warm(work, prepared) })

	server := s.httpServer(work)
	if !set.Loopback() {
		fmt.Fprintf(stdout, "%s can be reached by other machines: anyone there can build and run Go programs here, in the sandbox, "+
			"without a password and without encryption: outside a trusted network, put a reverse proxy in front of it\n", set.Addr)
	}
	if set.Origins.Any() {
		fmt.Fprintln(stdout, "--allow-origin is *: every web site in a browser that can reach this runner can build and run Go programs here")
	}
	fmt.Fprintf(stdout, "serving the workbook at http://%s\n", listener.Addr())
	background.Go(func() {
		defer close(prepared)
		if s.steps != nil {
			buildsite.Run(preparing, s.steps, line)
		}
	})
	go func() {
		if err := server.Serve(listener); ctx.Err() == nil {
			failed <- fmt.Errorf("serve on %s: %w", set.Addr, err)
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return s.stop(work, cancel, listener, server)
	}
}

// httpServer returns the HTTP server for s. The contexts of its requests end with work.
func (s *server) httpServer(work context.Context) *http.Server {
	return &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return work },
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// There is no WriteTimeout, because it would include the time in the queue. See writeWithin.
	}
}

// openListener listens on --addr, or on the socket of --listen-fd.
func openListener(set settings.Settings) (net.Listener, error) {
	if set.ListenFD < 0 {
		return listen(set.Addr, "--addr 127.0.0.1:8081")
	}
	file := os.NewFile(uintptr(set.ListenFD), "listener")
	defer file.Close() // FileListener duplicates the descriptor
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("--listen-fd %d: it is not a listening socket: %w", set.ListenFD, err)
	}
	return listener, nil
}

// listen listens on addr. example is a flag that chooses another port, for the error message.
func listen(addr, example string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program: end that one, or choose another port, such as %s", addr, example)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return listener, nil
}

// openMetrics serves the metrics at --metrics-addr until end is called. If serving fails, it sends the error to failed.
func (s *server) openMetrics(failed chan<- error, stdout io.Writer) (end func(), err error) {
	listener, err := listen(s.settings.MetricsAddr, "--metrics-addr 127.0.0.1:9091")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	handler := func(w http.ResponseWriter, r *http.Request) {
		if refused := s.checkHost(s.settings.MetricsAddr, r); refused != nil {
			s.deny(w, r, refused)
			return
		}
		mux.ServeHTTP(w, r)
	}
	server := &http.Server{Handler: http.HandlerFunc(handler), ReadTimeout: 10 * time.Second, WriteTimeout: writeTime,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	fmt.Fprintf(stdout, "serving metrics on http://%s/metrics\n", listener.Addr())
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve metrics on %s: %w", s.settings.MetricsAddr, err)
		}
	}()
	return func() { server.Close() }, nil
}
