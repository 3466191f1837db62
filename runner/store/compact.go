package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

// Deleting a room marks its messages as deleted, and the NATS server leaves their text in its files until a whole block
// of messages is deleted. Compacting therefore copies what is left into new files, with a second server on a folder
// beside the first one's, and puts the new folders of the streams in the place of the old ones. It is done when a store
// is closed, when nobody can store anything any more, and, after a process that was killed, when the journal is opened.

// compactTime bounds how long a store that is closed copies what is left: whoever stops a runner waits for it. If it takes
// longer, the next start does all of it.
const compactTime = 30 * time.Second

const (
	compactDir = "compacting"
	// complete is the file in compactDir that says that everything is copied.
	complete = "complete"
)

// compacted are the streams that are copied. The first has the rooms, by which it is known what else is left.
var compacted = []string{roomStream, verdictStream, checkedStream}

func streamsIn(dir string) string {
	return filepath.Join(dir, server.JetStreamStoreDir, "$G", "streams")
}

// compact removes the text of deleted rooms from the files of the embedded server, if there may be any. copied reports
// that the server is stopped, since its files are others now. What cannot be copied stays as it is, for another time.
func (j *Journal) compact(ctx context.Context) (copied bool, err error) {
	e := j.store.embedded
	if _, writable := e.running(); writable.Err() != nil {
		return false, nil
	}
	conn, err := nats.Connect("", nats.InProcessServer(e)) // the store's own is closed, or in use
	if err != nil {
		return false, err
	}
	defer conn.Close()
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(timeout))
	if err != nil {
		return false, err
	}
	rooms, err := js.Stream(ctx, roomStream)
	if err != nil {
		return false, err
	}
	info := rooms.CachedInfo()
	if info.State.LastSeq-max(info.Config.FirstSeq, 1)+1 == info.State.Msgs {
		return false, nil
	}
	dir := filepath.Join(e.options.StoreDir, compactDir)
	err = e.copyTo(ctx, js, dir)
	if err == nil {
		// Fewer messages are left, which looks like damage to the tallies.
		err = errors.Join(j.tally.reset(), j.judged.reset())
	}
	if err == nil {
		err = markComplete(dir)
	}
	if err != nil {
		return false, errors.Join(err, os.RemoveAll(dir))
	}
	conn.Close()
	e.stop()
	return true, e.exchange()
}

// compactLogged is compact for a caller who goes on if nothing could be copied.
func (j *Journal) compactLogged(ctx context.Context) (copied bool, err error) {
	copied, err = j.compact(ctx)
	if err != nil {
		j.log.Warn("the files still contain rooms that were deleted: the next start tries again", "error", err)
	}
	if !copied {
		err = nil
	}
	return copied, err
}

// copyTo copies the streams into a folder. It returns once they are on disk.
func (e *embedded) copyTo(ctx context.Context, from jetstream.JetStream, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	to := &embedded{log: e.log, options: e.options}
	to.options.StoreDir, to.options.SyncAlways = dir, false // all is synced at once, at the end
	to.closed, to.end = context.WithCancel(context.Background())
	defer to.end()
	if err := to.start(); err != nil {
		return err
	}
	defer to.stop()
	conn, err := nats.Connect("", nats.InProcessServer(to))
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(timeout))
	if err != nil {
		return err
	}
	kept := rest{exist: map[string]bool{}}
	for _, name := range compacted {
		if err := copyStream(ctx, from, js, name, kept.has); err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
	}
	conn.Close()
	to.stop()
	return syncAll(streamsIn(dir))
}

func markComplete(dir string) error {
	name := filepath.Join(dir, complete)
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return err
	}
	return errors.Join(syncFile(name), syncDir(dir))
}

// A rest is what is left after rooms were deleted.
type rest struct{ exist map[string]bool } // by the code of the room

// has reports whether a message is of a room that exists. The first message of each room is seen before its others.
func (r rest) has(m jetstream.Msg) bool {
	code := roomOf(m.Subject())
	if beside, ok := codeBeside(m.Subject()); ok {
		return r.exist[beside]
	}
	exists, seen := r.exist[code]
	if !seen {
		var first Record
		// What another release has written is kept.
		exists = json.Unmarshal(m.Data(), &first) != nil || first.Kind != room.Deleted
		r.exist[code] = exists
	}
	return exists
}

// copyStream copies the messages of a stream that keep reports, in their order. Their new numbers are
// higher than all old ones, since pages ask for what came after a number. It is an error if a message cannot be read.
func copyStream(ctx context.Context, from, to jetstream.JetStream, name string, keep func(jetstream.Msg) bool) error {
	stream, err := from.Stream(ctx, name)
	if err != nil {
		return err
	}
	info := stream.CachedInfo()
	config := info.Config
	if name == roomStream {
		config.FirstSeq = info.State.LastSeq + 1
	}
	if _, err := to.CreateStream(ctx, config); err != nil {
		return err
	}
	if info.State.Msgs == 0 {
		return nil
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxBytes(4 * maxPayload))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for range info.State.Msgs {
		next, cancel := context.WithTimeout(ctx, openTime)
		m, err := messages.Next(jetstream.NextContext(next))
		cancel()
		if err != nil {
			return fmt.Errorf("read a message: %w", err)
		}
		if !keep(m) {
			continue
		}
		again := &nats.Msg{Subject: m.Subject(), Data: m.Data(), Header: nats.Header{}}
		if id := m.Headers().Get(nats.MsgIdHdr); id != "" {
			again.Header.Set(nats.MsgIdHdr, id) // what is sent again is still recognized
		}
		if _, err := to.PublishMsg(ctx, again); err != nil {
			return fmt.Errorf("store a message: %w", err)
		}
	}
	return nil
}

// exchange puts the copied streams in the place of the old ones, unless they are not complete. It may be interrupted
// and done again. The server is stopped.
func (e *embedded) exchange() error {
	dir := filepath.Join(e.options.StoreDir, compactDir)
	if _, err := os.Stat(filepath.Join(dir, complete)); errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(dir)
	} else if err != nil {
		return err
	}
	for _, name := range compacted {
		from, to := filepath.Join(streamsIn(dir), name), filepath.Join(streamsIn(e.options.StoreDir), name)
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue // it is there already
		}
		if err := errors.Join(os.RemoveAll(to), os.Rename(from, to)); err != nil {
			return fmt.Errorf("compact the rooms: %w", err)
		}
	}
	if err := syncDir(streamsIn(e.options.StoreDir)); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// syncAll writes all files and folders in a folder to disk.
func syncAll(dir string) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return syncDir(name)
		}
		return syncFile(name)
	})
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncDir writes the names in a folder to disk. Windows has no way to do that, and needs none.
func syncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
