package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"onthestack/internal/bookdata"
)

// A process is a runner or a worker that was started.
type process struct {
	*exec.Cmd
	cancel context.CancelFunc
	ended  chan struct{}
	err    error           // known once it has ended
	log    strings.Builder // its output; complete once it has ended
}

// startProcess starts a program, with more variables in its environment, and waits until it prints a line that contains
// a text. rest is what follows the text there.
func startProcess(ctx context.Context, text string, env []string, command ...string) (
	p *process, rest string, err error,
) {
	ctx, cancel := context.WithCancel(ctx)
	p = &process{Cmd: exec.CommandContext(ctx, command[0], command[1:]...), cancel: cancel, ended: make(chan struct{})}
	p.Env = append(os.Environ(), env...)
	p.Cancel = func() error { return p.Process.Signal(syscall.SIGTERM) } // as a service manager does
	p.WaitDelay = time.Minute
	output, w := io.Pipe()
	p.Stdout, p.Stderr = w, w
	if err := p.Start(); err != nil {
		cancel()
		return nil, "", fmt.Errorf("start %s: %w", command[0], err)
	}
	go func() {
		p.err = p.Wait()
		w.Close()
	}()
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		p.log.WriteString(line)
		if err != nil {
			cancel()
			return nil, "", fmt.Errorf("%s ended at once: %v: %s", command[0], p.err, strings.TrimSpace(p.log.String()))
		}
		if _, rest, ok := strings.Cut(strings.TrimSpace(line), text); ok {
			go func() {
				defer close(p.ended)
				io.Copy(&p.log, lines)
			}()
			return p, rest, nil
		}
	}
}

// stop stops the process, if it still runs, and returns an error unless it ends well.
func (p *process) stop() error {
	p.cancel()
	<-p.ended
	if p.err != nil && !errors.Is(p.err, context.Canceled) {
		return fmt.Errorf("%s ended with %w: %s", p.Path, p.err, strings.TrimSpace(p.log.String()))
	}
	return nil
}

// A server is a runner that was started.
type server struct {
	*process
	address   string // "http://127.0.0.1:41234"
	goVersion string // that builds the programs
	engine    string // that runs the tests of checks

	watching context.CancelFunc
	watched  sync.WaitGroup
	memory   memory
}

// start starts the runner with more flags, on a port of its own, and waits until it builds and runs a program.
func (b *bench) start(ctx context.Context, flags ...string) (*server, error) {
	p, address, err := startProcess(ctx, "serving the workbook at ", nil,
		append([]string{b.runner, "--addr", "127.0.0.1:0", "--state", b.dir, "--engine", b.engine}, flags...)...)
	if err != nil {
		return nil, err
	}
	s := &server{process: p, address: address}
	watching, cancel := context.WithCancel(ctx)
	s.watching = cancel
	s.watched.Go(func() { s.memory.watch(watching, p.Process.Pid) })
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// readyTime is the time limit for a runner that compiles the standard library first.
const readyTime = 10 * time.Minute

func (s *server) ready(ctx context.Context) error {
	fmt.Fprintln(os.Stderr, "waiting until the runner is ready")
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	for {
		text, err := s.get(ctx, "/_ah/health")
		if err == nil && string(text) == "ok" {
			break
		}
		select {
		case <-s.ended:
			return errors.New("the runner ended before it was ready")
		case <-ctx.Done():
			return fmt.Errorf("the runner is not ready: %w: %s", err, text)
		case <-time.After(time.Second):
		}
	}
	var release struct{ Version, Engine string }
	text, err := s.get(ctx, "/version")
	if err == nil {
		err = json.Unmarshal(text, &release)
	}
	if err != nil {
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
		if strings.Contains(string(text), "\nrunner_queue_working{queue=\"work\"} 0\n") &&
			strings.Contains(string(text), "\nrunner_queue_waiting{queue=\"work\"} 0\n") {
			return nil
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	_, _, body, err := request{method: http.MethodGet, path: path}.post(ctx, http.DefaultClient, s.address)
	return body, err
}

// stop stops the runner, and then s.memory is complete.
func (s *server) stop() error {
	err := s.process.stop()
	s.watching()
	s.watched.Wait()
	return err
}

// finish stops the runner, and sets the figures of it and of the machine.
func (s *server) finish(f *bookdata.Classroom) error {
	err := s.stop()
	f.Go, f.Platform, f.Cores = s.goVersion, runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU()
	f.Server, f.All = s.memory.server, s.memory.all
	return err
}

// memory is the largest amount of memory in use at any time, in bytes.
type memory struct {
	server int
	all    int // with the compilers and linkers that it runs
}

// sampling is how often watch looks at the memory in use.
const sampling = 500 * time.Millisecond

// watch records the peak memory of a process and its descendants until ctx is done. It misses memory that a child takes
// between two samples, but not the process's own peak.
func (m *memory) watch(ctx context.Context, pid int) {
	for ctx.Err() == nil {
		processes, _ := procfs.AllProcs() // without /proc there are none: see missed
		parents := map[int]int{}
		for _, p := range processes {
			if stat, err := p.Stat(); err == nil {
				parents[p.PID] = stat.PPID
			}
		}
		all := 0
		for _, p := range processes {
			if !descends(parents, p.PID, pid) {
				continue
			}
			used := inUse(p)
			all += used
			if p.PID == pid {
				status, _ := p.NewStatus()
				m.server = max(m.server, used, int(status.VmHWM))
			}
		}
		m.all = max(m.all, all)
		pause(ctx, sampling)
	}
}

// inUse returns how much memory in bytes a process takes, or 0 if it has ended. A page that several processes map, such
// as one of a program that runs several times, counts in equal parts for each (the proportional set size). Where the
// system does not tell this, each such page counts in full.
func inUse(p procfs.Proc) int {
	if maps, err := p.ProcSMapsRollup(); err == nil {
		return int(maps.Pss)
	}
	stat, _ := p.Stat()
	return stat.ResidentMemory()
}

// descends reports whether a process is another one, or a descendant of it.
func descends(parents map[int]int, pid, ancestor int) bool {
	for range 100 {
		if pid == ancestor {
			return true
		}
		var ok bool
		if pid, ok = parents[pid]; !ok {
			return false
		}
	}
	return false
}
