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
	"slices"
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
	c, err := parse(args, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "runner: %v\nTry \"runner --help\".\n", err)
		return exitUsage
	}
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

// drainTime is how long requests under way have to finish after a signal.
const drainTime = 30 * time.Second

// serve serves until ctx is done, then lets requests under way finish.
func serve(ctx context.Context, c config, stdout, stderr io.Writer) error {
	log := slog.New(slog.NewTextHandler(stderr, nil))
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
	listener, err := net.Listen("tcp", c.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program: end that one, or choose another port, such as --addr 127.0.0.1:8081", c.addr)
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.addr, err)
	}
	warmed := make(chan struct{})
	go func() {
		defer close(warmed)
		s.warm(work)
	}()

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
		fmt.Fprintf(stdout, "%s can be reached by other machines: whoever does may build and run Go programs here, in the sandbox\n", c.addr)
	}
	fmt.Fprintf(stdout, "serving the workbook at http://%s\n", listener.Addr())

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve on %s: %w", c.addr, err)
	case <-ctx.Done():
	}
	log.Info("stopping", "wait", drainTime)
	s.stopWarming()
	drain, done := context.WithTimeout(work, drainTime)
	defer done()
	err = server.Shutdown(drain)
	cancel(errors.New("the server stops"))
	<-warmed
	if err != nil {
		server.Close()
		return fmt.Errorf("requests were cut off after %v: %w", drainTime, err)
	}
	return nil
}
