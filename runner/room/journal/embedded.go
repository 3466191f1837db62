package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
)

// An embedded is a NATS server in this process that listens on no port.
type embedded struct {
	*server.Server
	lock *flock.Flock
	log  *serverLog
}

// startEmbedded starts a NATS server on a folder, which it locks. The server writes each message to disk before it
// acknowledges it: by default JetStream does that every two minutes, and a power failure loses what was acknowledged
// since.
func startEmbedded(dir string, maxBytes int64, log *slog.Logger) (_ *embedded, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder: %w", err)
	}
	e := &embedded{lock: flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600)), log: newServerLog(log)}
	defer func() {
		if err != nil {
			e.stop()
		}
	}()
	// Two servers on the same files would each overwrite what the other acknowledged.
	locked, err := e.lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock the folder: %w", err)
	case !locked:
		return nil, errors.New("another runner uses this folder: end that one, or choose another folder with --state")
	}
	used, err := hasStream(dir)
	if err != nil {
		return nil, err
	}
	e.Server, err = server.NewServer(&server.Options{
		ServerName: "onthestack", DontListen: true, JetStream: true, StoreDir: dir, SyncAlways: true,
		JetStreamMaxStore: maxBytes, MaxPayload: maxPayload, NoSigs: true,
	})
	if err != nil {
		return nil, err
	}
	e.SetLoggerV2(e.log, false, false, false)
	e.Start()
	if !e.ReadyForConnections(timeout) {
		return nil, errors.Join(errors.New("the embedded NATS server does not start: is the folder writable?"),
			e.log.failed())
	}
	if used {
		return e, e.damage()
	}
	return e, nil
}

// hasStream reports whether the folder has the stream of an earlier start.
func hasStream(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, server.JetStreamStoreDir, "$G", "streams", streamName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// restore is what to do about damaged files.
const restore = "restore the folder from a copy, or move it away to begin without its rooms"

// damage returns an error if the server could not read everything that the folder should have. The server itself would
// go on without it: a lost event would be a lost grade that nobody notices.
func (e *embedded) damage() error {
	info, err := e.Jsz(&server.JSzOptions{Accounts: true, Streams: true})
	if err != nil {
		return err
	}
	lost, found := 0, false
	for _, account := range info.AccountDetails {
		for _, stream := range account.Streams {
			found = found || stream.Name == streamName
			if stream.State.Lost != nil {
				lost += len(stream.State.Lost.Msgs)
			}
		}
	}
	switch {
	case !found:
		return errors.Join(errors.New("the files are damaged, and no room can be read: "+restore), e.log.failed())
	case lost > 0:
		return errors.Join(fmt.Errorf("the files are damaged, and %d events cannot be read: %s", lost, restore),
			e.log.failed())
	}
	return nil
}

// stop ends the server once its files are written.
func (e *embedded) stop() {
	if e.Server != nil {
		e.Shutdown()
		e.WaitForShutdown()
	}
	e.lock.Unlock()
}

// A serverLog passes the NATS server's warnings and errors on to the log. It implements server.Logger.
type serverLog struct {
	log *slog.Logger

	broken context.Context // done once the server could not write to the disk
	fail   context.CancelFunc

	mu     sync.Mutex
	errors []error // the first ones
}

func newServerLog(log *slog.Logger) *serverLog {
	l := &serverLog{log: log}
	l.broken, l.fail = context.WithCancel(context.Background())
	return l
}

// failed returns the errors that the server has logged, or nil.
func (l *serverLog) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.errors...)
}

func (l *serverLog) Errorf(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.errors) < 5 {
		l.errors = append(l.errors, errors.New(text))
	}
	l.log.Error("rooms", "nats", text)
	// The server says it in no other way, and writes nothing more until it is started again.
	if strings.Contains(text, "ritical write error") && l.broken.Err() == nil {
		l.fail()
		l.log.Error(errBroken.Error())
	}
}

func (l *serverLog) Fatalf(format string, args ...any) { l.Errorf(format, args...) }

func (l *serverLog) Warnf(format string, args ...any) {
	l.log.Warn("rooms", "nats", fmt.Sprintf(format, args...))
}

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}
