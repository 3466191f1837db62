package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"

	"onthestack/internal/exercise"
	"onthestack/internal/printable"
	"onthestack/runner/address"
	"onthestack/runner/api"
	"onthestack/runner/settings"
	"onthestack/runner/site"
	"onthestack/runner/store"
)

// serve makes the server from its parts, and serves until ctx is done. With --prepare it builds the site meanwhile.
func serve(ctx context.Context, set settings.Settings, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	line := printable.NewStatusLine(stderr)
	var siteBuild *site.Build
	onTerminal := isTerminal(stderr)
	if set.Prepare {
		stderr = line // the log appears above the status line
		if siteBuild, err = site.NewBuild(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, siteBuild.Close()) }()
	}
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	server, err := api.New(set, catalog, siteBuild, newLog(set, stderr, onTerminal))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	listener, metrics, err := openListeners(set)
	if err != nil {
		return err
	}
	announce(set, server.Checks(), listener, metrics, stdout)

	building, stop := context.WithCancel(ctx)
	built := make(chan struct{})
	var group sync.WaitGroup
	// Until the room is open, the terminal may have a question, and the status line would write over it.
	opened := make(chan struct{})
	group.Go(func() {
		defer close(built)
		if siteBuild != nil {
			<-opened
			siteBuild.Watch(building, line)
		}
	})
	group.Go(func() {
		defer close(opened)
		if !set.Room || set.Title == "" {
			return
		}
		text, err := roomText(building, server, set, listener, newTerminal(stdin, stdout))
		io.WriteString(stdout, text)
		if err != nil {
			fmt.Fprintf(stderr, "%s: open the room %q: %v\n", cmp.Or(set.Command, "runner"), set.Title, err)
		}
	})
	err = server.Serve(ctx, listener, metrics, built)
	stop()
	group.Wait()
	return err
}

// work does the work of other runners until ctx is done.
func work(ctx context.Context, set settings.Settings, _ io.Reader, stdout, stderr io.Writer) error {
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	worker, err := api.NewWorker(set, catalog, newLog(set, stderr, isTerminal(stderr)))
	if err != nil {
		return err
	}
	err = worker.Work(ctx, func() {
		fmt.Fprintf(stdout, "working for the runners at %s, %d at once\n", store.Hosts(set.NATS), set.Concurrency)
	})
	if ctx.Err() != nil {
		err = nil // stopped by a signal
	}
	return errors.Join(err, worker.Close())
}

// newLog returns a logger in the format of --log. With settings.LogAuto, a person's terminal shows only problems: there
// a line for each request would hide the address and the steps.
func newLog(set settings.Settings, out io.Writer, onTerminal bool) *slog.Logger {
	var options slog.HandlerOptions
	if set.Log == settings.LogAuto && onTerminal {
		options.Level = slog.LevelWarn
	}
	if set.Log == settings.LogJSON {
		return slog.New(slog.NewJSONHandler(out, &options))
	}
	return slog.New(slog.NewTextHandler(out, &options))
}

// openListeners listens on --addr, or on the socket of --listen-fd, and on --metrics-addr if it is set.
func openListeners(set settings.Settings) (listener, metrics net.Listener, err error) {
	if set.ListenFD >= 0 {
		listener, err = inherit(set.ListenFD)
	} else {
		listener, err = listen(set.Addr, "--addr 127.0.0.1:8081")
	}
	if err != nil || set.MetricsAddr == "" {
		return listener, nil, err
	}
	metrics, err = listen(set.MetricsAddr, "--metrics-addr 127.0.0.1:9091")
	if err != nil {
		listener.Close()
		return nil, nil, err
	}
	return listener, metrics, nil
}

// inherit returns the listener whose socket this process has inherited as a file descriptor.
func inherit(fd int) (net.Listener, error) {
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close() // FileListener duplicates the descriptor
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("--listen-fd %d: it is not a listening socket: %w", fd, err)
	}
	return listener, nil
}

// listen listens on addr. example is a flag that chooses another port, for the error message.
func listen(addr, example string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program: end that one, or choose another port, such as %s",
			addr, example)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return listener, nil
}

// announce prints how checks run, where the server is, and who may use it if these are more than the users of this
// machine.
func announce(set settings.Settings, checks string, listener, metrics net.Listener, out io.Writer) {
	if metrics != nil {
		fmt.Fprintf(out, "serving metrics on http://%s/metrics\n", metrics.Addr())
	}
	if !set.Loopback() {
		fmt.Fprintf(out, "%s can be reached by other machines: anyone there can build and run Go programs here, "+
			"in the sandbox, without a password and without encryption: outside a trusted network, "+
			"put a reverse proxy in front of it\n", set.Addr)
	}
	if set.Workspace != "" && !set.SharesWorkspace() {
		fmt.Fprintln(out, "pages and checkalloc do not share their code and progress here, because other machines can "+
			"reach this server")
	}
	if set.Origins.Any() {
		fmt.Fprintln(out, "--allow-origin is *: every web site in a browser that can reach this runner "+
			"can build and run Go programs here")
	}
	fmt.Fprintln(out, checks)
	fmt.Fprintf(out, "serving the workbook at %s\n", strings.TrimSuffix(address.Find(listener.Addr(), "").Own, "/"))
	if sites := address.Find(listener.Addr(), set.Public); len(sites.Others) > 0 {
		fmt.Fprintf(out, "other machines open it at %s\n", strings.Join(sites.Others, " or "))
	}
}
