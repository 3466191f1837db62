//go:build unix

package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"onthestack/internal/printable"
	"onthestack/runner/address"
)

// Exit codes of Bootstrap.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as a shell reports SIGINT
)

// Bootstrap is the program bootstrap; see bootstrap.go. It returns the exit code.
func Bootstrap(args []string, stdout, stderr io.Writer) int {
	if len(args) != 2 {
		fmt.Fprintln(stderr, "usage: bootstrap RUNNER HOST:PORT\n"+
			"Compiles the runner into the file RUNNER, and serves at HOST:PORT meanwhile and with it.")
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := bootstrap(ctx, args[0], args[1], stdout, printable.NewStatusLine(stderr))
	if ctx.Err() != nil {
		return exitInterrupted
	}
	fmt.Fprintln(stderr, err)
	return exitFailed
}

// bootstrap compiles the runner while it serves the progress page. It returns only if there is an error or ctx is done:
// otherwise the runner replaces this process.
func bootstrap(ctx context.Context, runner, addr string, stdout io.Writer, line *printable.StatusLine) (err error) {
	if runner, err = filepath.Abs(runner); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program: end that one, or choose another port, such as "+
			"ADDR=127.0.0.1:8081", addr)
	} else if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	build, err := startBuild("RUNNER=" + runner)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, build.Close()) }()
	server := &http.Server{Handler: handler(&Progress{Build: build, Next: http.NotFoundHandler()}),
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10}
	go server.Serve(listener)
	url := strings.TrimSuffix(address.Find(listener.Addr(), "").Own, "/")
	fmt.Fprintf(stdout, "Compiling the runner. %s shows the progress.\n", url)

	compiled := false
	isRunner := func(step Step) bool { return step.Name == runnerStep }
	report := reporter(line, isRunner) // the runner tells of the others
	build.poll(ctx, func(steps Steps) bool {
		report(steps)
		i := slices.IndexFunc(steps, isRunner)
		compiled = i >= 0 && steps[i].State == Done
		return i >= 0 && steps[i].ended()
	})
	line.Clear()
	if !compiled {
		server.Close()
		return errors.New("the runner could not be compiled; the messages of the go command are above. " +
			"If the network is the cause, connect this machine to it. " +
			"Then run the same command again: it continues where it stopped.")
	}
	return handOver(server, listener, build, runner, addr)
}

// handler answers while there is no runner: with the progress page, and to a program that asks for work with when to
// ask again.
func handler(page *Progress) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+StatePath, page.State)
	mux.Handle("GET /", page)
	later := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "The runner is being compiled. Try again in a few seconds.", http.StatusServiceUnavailable)
	}
	for _, work := range []string{"/", "GET /_ah/health", "GET /api/", "GET /metrics", "GET /version"} {
		mux.HandleFunc(work, later)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, r)
	})
}

// handOver replaces this process with the runner, which serves on the listener's socket and goes on with the build.
// Connections that arrive meanwhile wait in the socket's queue.
func handOver(server *http.Server, listener net.Listener, build *Build, runner, addr string) error {
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		return fmt.Errorf("hand over the port: %w", err)
	}
	answering, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(answering) != nil {
		server.Close()
	}
	fd := socket.Fd()
	if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil { // the socket stays open in the runner
		return fmt.Errorf("hand over the port: %w", err)
	}
	args := []string{runner, "--prepare", "on", "--addr", addr, "--listen-fd", strconv.Itoa(int(fd))}
	env := append(os.Environ(), fmt.Sprintf("%s=%d %s", startedVariable, build.make.Pid, build.dir))
	return fmt.Errorf("start %s: %w", runner, syscall.Exec(runner, args, env))
}
