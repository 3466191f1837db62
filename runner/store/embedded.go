package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
)

// An embedded is a NATS server in this process that listens on no port. A NATS server that has failed to write to the
// disk stores nothing more, so it is then replaced by a new one on the same files, until the disk is well again.
type embedded struct {
	options server.Options
	lock    *flock.Flock
	log     *slog.Logger

	closed    context.Context
	end       context.CancelFunc
	replacing sync.WaitGroup

	mu       sync.Mutex
	server   *server.Server          // nil before the first start
	writable context.Context         // done once this server could not write to the disk
	fail     context.CancelCauseFunc // ends writable
	errors   []error                 // the first ones that a server logged
}

// startEmbedded starts a NATS server on a folder, which it locks. The server writes each message to disk before it
// acknowledges it: by default JetStream does that every two minutes, and a power failure loses what was acknowledged
// since.
func startEmbedded(dir string, maxBytes int64, log *slog.Logger) (_ *embedded, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder: %w: %s", err, writable)
	}
	e := &embedded{log: log, lock: flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600)),
		options: server.Options{
			ServerName: "onthestack", DontListen: true, JetStream: true, StoreDir: dir, SyncAlways: true,
			JetStreamMaxStore: maxBytes, MaxPayload: maxPayload, NoSigs: true,
		}}
	e.closed, e.end = context.WithCancel(context.Background())
	// Two servers on the same files would each overwrite what the other acknowledged.
	locked, err := e.lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock the folder: %w: %s", err, writable)
	case !locked:
		return nil, ErrInUse
	}
	err = e.exchange()
	streams, readErr := os.ReadDir(streamsIn(dir))
	if err == nil && !errors.Is(readErr, os.ErrNotExist) {
		err = readErr
	}
	if err == nil {
		err = readable(streamsIn(dir))
	}
	for _, stream := range streams {
		if err == nil {
			err = e.checkBlocks(stream.Name())
		}
	}
	if err == nil {
		err = e.start()
	}
	if err == nil {
		err = e.damage(streams)
	}
	if err != nil {
		e.close()
		return nil, errors.Join(append([]error{err}, e.errors...)...)
	}
	return e, nil
}

func (e *embedded) start() error {
	options := e.options // the server changes them
	s, err := server.NewServer(&options)
	if err != nil {
		return err
	}
	s.SetLoggerV2(e, false, false, false)
	s.Start()
	if !s.ReadyForConnections(timeout) {
		s.Shutdown()
		return errors.New("the embedded NATS server does not start: " + writable)
	}
	e.mu.Lock()
	e.server = s
	e.writable, e.fail = context.WithCancelCause(context.Background())
	e.mu.Unlock()
	return nil
}

// InProcessConn returns a connection to the server. With it an embedded is the server of a nats.Conn.
func (e *embedded) InProcessConn() (net.Conn, error) {
	s, _ := e.running()
	return s.InProcessConn()
}

// running returns the server, and a context that is done once that server could not write to the disk.
func (e *embedded) running() (*server.Server, context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.server, e.writable
}

// whileWritable returns a context that is also done, with the cause ErrFull, once the server cannot write to the disk.
func (e *embedded) whileWritable(parent context.Context) (context.Context, context.CancelFunc) {
	_, writable := e.running()
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(writable, func() { cancel(context.Cause(writable)) })
	return ctx, func() { stop(); cancel(nil) }
}

// checkHealth asks the server whether it can still write, and has it replaced if it cannot.
func (e *embedded) checkHealth() {
	s, writable := e.running()
	if s == nil || writable.Err() != nil {
		return
	}
	health := s.Healthz(nil)
	if health.Error == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.server == s && writable.Err() == nil && e.closed.Err() == nil {
		e.log.Error("the store cannot write to the disk: free space; it tries again every second", "error", health.Error)
		e.fail(noSpace(errors.New(health.Error)))
		e.replacing.Go(e.replace)
	}
}

// replace replaces a server that cannot write, once the disk is well. Until then, that server answers what is read.
func (e *embedded) replace() {
	for {
		select {
		case <-e.closed.Done():
			return
		case <-time.After(retryTime):
		}
		err := e.probe()
		if err == nil {
			e.stop()
			err = e.start()
		}
		if err == nil {
			return
		}
		e.log.Debug("the store cannot be written to yet", "error", err)
	}
}

// probe writes as much as a message may have, to a file that it removes again.
func (e *embedded) probe() error {
	name := filepath.Join(e.options.StoreDir, "probe")
	return errors.Join(os.WriteFile(name, make([]byte, maxPayload), 0o600), os.Remove(name))
}

// writable is what to do about a folder that cannot be used.
const writable = "name a folder that the runner may write to with --state"

// readable returns an error for a file that this process may not read. The server would take it for a damaged one.
func readable(dir string) error {
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		return f.Close()
	})
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: give the files to the user as whom the runner runs; they are not damaged", err)
	case errors.Is(err, fs.ErrNotExist):
		return nil // nothing was ever stored, or the server removed a file just now
	}
	return err
}

// restore is what to do about damaged files.
const restore = "restore the folder from a copy, or move it away to begin without its rooms and shared programs"

// damage returns an error if the server could not read everything that the folder should have; streams are the folders
// of its streams. The server itself would go on without it: a lost event would be a lost grade that nobody notices.
func (e *embedded) damage(streams []os.DirEntry) error {
	info, err := e.server.Jsz(&server.JSzOptions{Accounts: true, Streams: true})
	if err != nil {
		return err
	}
	readable := map[string]bool{}
	for _, account := range info.AccountDetails {
		for _, stream := range account.Streams {
			readable[stream.Name] = true
			if stream.State.Lost != nil && len(stream.State.Lost.Msgs) > 0 {
				return fmt.Errorf("the files are damaged, and %d messages of %s cannot be read: %s",
					len(stream.State.Lost.Msgs), stream.Name, restore)
			}
		}
	}
	for _, stream := range streams {
		if !readable[stream.Name()] {
			return fmt.Errorf("the files are damaged, and %s cannot be read: %s", stream.Name(), restore)
		}
	}
	return nil
}

// stop ends the server once its files are written.
func (e *embedded) stop() {
	if s, _ := e.running(); s != nil {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

func (e *embedded) close() {
	e.mu.Lock()
	e.end()
	e.mu.Unlock()
	e.replacing.Wait()
	e.stop()
	e.lock.Unlock()
}

// The following methods make an embedded the logger of its server. They pass warnings and errors on to the log. Each
// may be about a disk that cannot be written to, so the server's health is asked for: in another goroutine, because the
// server holds its own locks while it logs.

func (e *embedded) Errorf(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	e.log.Error("store", "nats", text)
	go e.checkHealth()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.errors) < 5 {
		e.errors = append(e.errors, errors.New(text))
	}
}

func (e *embedded) Fatalf(format string, args ...any) { e.Errorf(format, args...) }

func (e *embedded) Warnf(format string, args ...any) {
	e.log.Warn("store", "nats", strings.TrimSpace(fmt.Sprintf(format, args...)))
	go e.checkHealth()
}

func (e *embedded) Noticef(string, ...any) {}
func (e *embedded) Debugf(string, ...any)  {}
func (e *embedded) Tracef(string, ...any)  {}
