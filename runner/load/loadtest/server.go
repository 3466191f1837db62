package loadtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A server is a runner that was started.
type server struct {
	address   string // "http://127.0.0.1:41234"
	goVersion string // that builds the programs; known once it is ready
	engine    string // that runs the tests of checks; known once it is ready
	cmd       *exec.Cmd
	log       *bytes.Buffer // complete once it has ended
	dir       string        // of the file of shared programs
	ended     chan error

	watching context.CancelFunc
	watched  sync.WaitGroup
	memory   memory
}

// start starts the runner with flags, on a port of its own, with an empty folder for shared programs unless the flags
// have a folder.
func start(ctx context.Context, binary string, flags ...string) (_ *server, err error) {
	dir, err := os.MkdirTemp("", "onthestack-load-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for shared programs: %w", err)
	}
	s := &server{log: new(bytes.Buffer), ended: make(chan error, 1), dir: dir}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	s.cmd = exec.CommandContext(ctx, binary,
		append([]string{"--addr", "127.0.0.1:0", "--state", dir}, flags...)...)
	s.cmd.Stderr = s.log
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the runner: %w", err)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the runner: %w", err)
	}
	lines := bufio.NewReader(stdout)
	for s.address == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			s.cmd.Wait()
			return nil, fmt.Errorf("the runner did not start: %s", bytes.TrimSpace(s.log.Bytes()))
		}
		_, s.address, _ = strings.Cut(strings.TrimSpace(line), "serving the workbook at ")
	}
	go func() {
		io.Copy(io.Discard, lines)
		s.ended <- s.cmd.Wait()
	}()
	watching, cancel := context.WithCancel(ctx)
	s.watching = cancel
	s.watched.Go(func() { s.watch(watching) })
	return s, nil
}

// readyTime is the time limit for a runner that compiles the standard library first.
const readyTime = 10 * time.Minute

// ready waits until the runner builds and runs a program.
func (s *server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	for {
		text, err := s.get(ctx, "/_ah/health")
		if err == nil && string(text) == "ok" {
			break
		}
		select {
		case ended := <-s.ended:
			return fmt.Errorf("the runner ended: %v: %s", ended, bytes.TrimSpace(s.log.Bytes()))
		case <-ctx.Done():
			return fmt.Errorf("the runner is not ready: %w: %s", err, text)
		case <-time.After(time.Second):
		}
	}
	text, err := s.get(ctx, "/version")
	if err != nil {
		return fmt.Errorf("ask for the runner's release of Go: %w", err)
	}
	var release struct{ Version, Engine string }
	if err := json.Unmarshal(text, &release); err != nil {
		return fmt.Errorf("ask for the runner's release of Go: %w", err)
	}
	s.goVersion, s.engine = release.Version, release.Engine
	return nil
}

// idle waits until the runner has no work.
func (s *server) idle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		text, err := s.get(ctx, "/metrics")
		if err != nil {
			return fmt.Errorf("wait until the runner is idle: %w", err)
		}
		if bytes.Contains(text, []byte("\nrunner_queue_working{queue=\"work\"} 0\n")) &&
			bytes.Contains(text, []byte("\nrunner_queue_waiting{queue=\"work\"} 0\n")) {
			return nil
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", s.address+path, nil)
	if err != nil {
		return nil, err
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	return io.ReadAll(reply.Body)
}

// stop stops the runner as a service manager does, and returns the memory that it took.
func (s *server) stop() (memory, error) {
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-s.ended:
		s.watching()
		s.watched.Wait()
		if err != nil {
			return s.memory, fmt.Errorf("the runner ended with %w: %s", err, bytes.TrimSpace(s.log.Bytes()))
		}
		return s.memory, nil
	case <-time.After(time.Minute):
		return s.memory, errors.New("the runner did not end within a minute of SIGTERM")
	}
}

func (s *server) kill() {
	s.watching()
	s.cmd.Process.Kill()
	os.RemoveAll(s.dir)
}
