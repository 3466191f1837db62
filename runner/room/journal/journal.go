// Package journal stores the events of rooms, what participants hand in, and the verdicts on it, in NATS JetStream.
//
// By default a NATS server runs inside this process and keeps its files in a folder. With an address the journal uses a
// cluster instead, with the same subjects:
//
//	rooms.CODE.event            a room.Event
//	rooms.CODE.submission.ID    a submission with its files; it is the event that it was handed in, and a task to grade
//	rooms.CODE.regrade.ID       the event that it is graded again, and the task
//
// All are in one stream, whose numbers order what happened in a room. The stream keeps its messages until a room is
// deleted, so that a submission can be graded again, and so that the server recognizes a message that is sent twice even
// after a restart. Verdicts are in a bucket, each under its submission, and are written once.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

const (
	streamName = "rooms"
	bucketName = "verdicts"

	// MaxMessage bounds a message in bytes: a submission's files as JSON, which may double their size, and their event.
	MaxMessage = 1 << 20
	// maxStore bounds the files of the embedded server in bytes. A full journal refuses what is new; it loses nothing.
	maxStore = 4 << 30
	// duplicates is how long the server recognizes a repeated message by its ID. A repetition after that is stored, and
	// ignored by room.Room.
	duplicates = time.Hour
	// timeout bounds each exchange with the server.
	timeout = 5 * time.Second
)

// A Journal stores rooms. It is safe for concurrent use.
type Journal struct {
	server   *server.Server // nil with a cluster
	conn     *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	verdicts jetstream.KeyValue
}

// Options say where a journal is.
type Options struct {
	Dir      string // the folder of the embedded server
	URL      string // the address of a cluster, which takes the place of the embedded server; "" for none
	Replicas int    // servers of the cluster that keep each message; 0 is 1
}

// Open opens the journal, and creates what is not there yet. The error says which folder or address it is about.
func Open(ctx context.Context, o Options) (_ *Journal, err error) {
	j := &Journal{}
	defer func() {
		if err != nil {
			j.Close()
		}
	}()
	if o.URL == "" {
		if j.server, err = embedded(o.Dir); err != nil {
			return nil, fmt.Errorf("open the rooms in %s: %w", o.Dir, err)
		}
		j.conn, err = nats.Connect("", nats.InProcessServer(j.server))
	} else {
		j.conn, err = nats.Connect(o.URL, nats.Name("onthestack"), nats.MaxReconnects(-1))
	}
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", o.URL, err)
	}
	if j.js, err = jetstream.New(j.conn); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	j.stream, err = j.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: streamName, Subjects: []string{"rooms.*.event", "rooms.*.submission.*", "rooms.*.regrade.*"},
		Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxMsgSize: MaxMessage, Duplicates: duplicates, Replicas: max(1, o.Replicas), DenyDelete: true,
	})
	if err != nil {
		return nil, fmt.Errorf("create the stream %q: %w", streamName, err)
	}
	j.verdicts, err = j.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucketName, Storage: jetstream.FileStorage, Replicas: max(1, o.Replicas), MaxValueSize: MaxMessage,
	})
	if err != nil {
		return nil, fmt.Errorf("create the bucket %q: %w", bucketName, err)
	}
	return j, nil
}

// embedded starts a NATS server that listens on no port. It writes each message to disk before it acknowledges it: by
// default JetStream does that every two minutes, and a power failure loses what was acknowledged since.
func embedded(dir string) (*server.Server, error) {
	s, err := server.NewServer(&server.Options{
		ServerName: "onthestack", DontListen: true, JetStream: true, StoreDir: dir, SyncAlways: true,
		JetStreamMaxStore: maxStore, MaxPayload: MaxMessage + 4<<10, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(timeout) {
		s.Shutdown()
		return nil, errors.New("the embedded NATS server does not start: is the folder writable, and used by no other server?")
	}
	return s, nil
}

// Close closes the connection, and ends the embedded server once its files are written.
func (j *Journal) Close() {
	if j.conn != nil {
		j.conn.Close()
	}
	if j.server != nil {
		j.server.Shutdown()
		j.server.WaitForShutdown()
	}
}

// A Record is a message of the journal: an event, with the files of what was handed in.
type Record struct {
	room.Event
	Files map[string]string `json:"files,omitempty"`
}

// Append stores an event and returns its number. It returns once the event is on disk. An event with the ID of an
// earlier one is not stored again; the number is then the earlier one's.
func (j *Journal) Append(ctx context.Context, code, id string, r Record) (sequence uint64, err error) {
	subject := "rooms." + code + ".event"
	switch r.Kind {
	case room.Submitted:
		subject = submissionSubject(code, r.Submission)
	case room.Regraded:
		subject = "rooms." + code + ".regrade." + r.Submission
	}
	text, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ack, err := j.js.Publish(ctx, subject, text, jetstream.WithMsgID(code+"/"+id), jetstream.WithExpectStream(streamName))
	if err != nil {
		return 0, fmt.Errorf("store an event of room %s: %w", code, err)
	}
	return ack.Sequence, nil
}

func submissionSubject(code, id string) string { return "rooms." + code + ".submission." + id }

// Follow calls apply with every event of all rooms in their order, first those that the journal has, then new ones as
// they are stored, until ctx is done. It calls caughtUp once, when the former are over. Where the connection breaks off,
// it continues with the next event.
func (j *Journal) Follow(ctx context.Context, apply func(code string, sequence uint64, e room.Event), caughtUp func()) error {
	info, err := j.stream.Info(ctx)
	if err != nil {
		return err
	}
	last := info.State.LastSeq
	if info.State.Msgs == 0 {
		caughtUp()
		caughtUp = nil
	}
	consumer, err := j.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for {
		m, err := messages.Next()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("read the events of rooms: %w", err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		var r Record
		if err := json.Unmarshal(m.Data(), &r); err != nil {
			return fmt.Errorf("event %d of the rooms is not what this program writes: %w", meta.Sequence.Stream, err)
		}
		code, _, _ := strings.Cut(strings.TrimPrefix(m.Subject(), "rooms."), ".")
		apply(code, meta.Sequence.Stream, r.Event)
		if caughtUp != nil && meta.Sequence.Stream >= last {
			caughtUp()
			caughtUp = nil
		}
	}
}

// Submission returns what was handed in.
func (j *Journal) Submission(ctx context.Context, code, id string) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	m, err := j.stream.GetLastMsgForSubject(ctx, submissionSubject(code, id))
	if err != nil {
		return Record{}, fmt.Errorf("read submission %s of room %s: %w", id, code, err)
	}
	var r Record
	return r, json.Unmarshal(m.Data, &r)
}

// Delete removes all events and submissions of a room, and the verdicts on them.
func (j *Journal) Delete(ctx context.Context, code string) error {
	if err := j.stream.Purge(ctx, jetstream.WithPurgeSubject("rooms."+code+".>")); err != nil {
		return fmt.Errorf("delete room %s: %w", code, err)
	}
	keys, err := j.verdicts.ListKeysFiltered(ctx, code+".>")
	if err != nil {
		return fmt.Errorf("delete the verdicts of room %s: %w", code, err)
	}
	for key := range keys.Keys() {
		err = errors.Join(err, j.verdicts.Purge(ctx, key))
	}
	return err
}
