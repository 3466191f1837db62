package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

const (
	roomStream    = "rooms"
	verdictBucket = "verdicts"
	verdictStream = "KV_" + verdictBucket // as NATS names the stream of a bucket

	// MaxMessage bounds a message in bytes: an event with the files of a submission, as JSON, which may take up to six
	// bytes for each byte of a file. The rest of maxPayload is for its headers.
	MaxMessage = maxPayload - 16<<10
	// duplicates is how long the server recognizes a repeated message by its ID. A repetition after that is stored, and
	// ignored by room.Room.
	duplicates = time.Hour
	// heartbeat is the interval in which the server that delivers messages says that it is there. After two missed
	// heartbeats the messages are requested again, since a server that dies forgets the requests. The default is 15 s.
	heartbeat = 2 * time.Second
)

// A Journal stores the events of rooms, what participants hand in, and the verdicts on it:
//
//	rooms.CODE.event            a room.Event
//	rooms.CODE.submission.ID    a submission with its files, as an event of the room and as a task for the graders
//	rooms.CODE.regrade.ID       a request to grade it again, as an event and as a task
//
// All are in one stream, whose numbers order what happened in a room. The stream keeps its messages until a room is
// deleted, so that a submission can be graded again, and so that the server recognizes a message that is sent twice
// even after a restart. Verdicts are in a bucket, each under its submission, and are written once. The code of checks is
// in a stream of its own, which keeps only the last one of each participant and exercise; see code.go.
//
// A Journal is safe for concurrent use.
type Journal struct {
	log      *slog.Logger
	store    *Store
	stream   jetstream.Stream
	checked  jetstream.Stream // the code of checks; see code.go
	verdicts jetstream.KeyValue
	tally    *tally // of the stream
	judged   *tally // of the verdicts
	ackWait  time.Duration
	alone    bool // whether no other process grades

	compactTime time.Duration
}

// Journal returns the journal of the store, and creates what is not there yet.
func (s *Store) Journal(ctx context.Context) (*Journal, error) {
	j := &Journal{log: s.log, store: s, ackWait: ackWait, alone: s.embedded != nil,
		compactTime: compactTime}
	err := s.create(ctx, j.create)
	if err != nil || s.embedded == nil {
		return j, err
	}
	s.journal = j
	copied, err := j.compactLogged(ctx)
	if copied && err == nil {
		if err = s.embedded.start(); err == nil {
			err = s.create(ctx, j.create)
		}
	}
	if err == nil {
		err = j.release(ctx)
	}
	return j, err
}

// create creates the stream and the bucket, or finds them.
func (j *Journal) create(ctx context.Context) (err error) {
	first := uint64(0) // that compacting has set
	if stored, err := j.store.js.Stream(ctx, roomStream); err == nil {
		first = stored.CachedInfo().Config.FirstSeq
	}
	j.stream, err = j.store.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: roomStream, Subjects: []string{"rooms.*.event", "rooms.*.submission.*", "rooms.*.regrade.*"},
		FirstSeq: first, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxMsgSize: MaxMessage, Duplicates: duplicates, Replicas: j.store.replicas, DenyDelete: true,
	})
	if err != nil {
		return fmt.Errorf("create the stream %q on %d servers: %w", roomStream, j.store.replicas, err)
	}
	j.verdicts, err = j.store.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: verdictBucket, Storage: jetstream.FileStorage, Replicas: j.store.replicas, MaxValueSize: MaxMessage,
	})
	if err != nil {
		return fmt.Errorf("create the bucket %q on %d servers: %w", verdictBucket, j.store.replicas, err)
	}
	if err := j.createChecked(ctx); err != nil {
		return err
	}
	verdicts, err := j.store.js.Stream(ctx, verdictStream)
	if err != nil {
		return fmt.Errorf("find the bucket %q: %w", verdictBucket, err)
	}
	if j.tally, err = j.store.openTally(roomStream, j.stream.CachedInfo().State); err != nil {
		return err
	}
	j.judged, err = j.store.openTally(verdictStream, verdicts.CachedInfo().State)
	return err
}

// A Record is a message of the journal: an event, with the files of what was handed in.
type Record struct {
	room.Event
	Files map[string]string `json:"files,omitempty"`
}

// Append stores an event and returns its number. It returns once the event is on disk. An event with the ID of an
// earlier one is not stored again; the number is then the earlier one's. The error is ErrFull if nothing
// more can be stored.
func (j *Journal) Append(ctx context.Context, code, id string, r Record) (sequence uint64, err error) {
	subject := eventSubject(code)
	switch r.Kind {
	case room.Submitted:
		subject = submissionSubject(code, r.Submission)
	case room.Regraded:
		subject = regradeSubject(code, r.Submission)
	}
	r.Numbering = room.Numbering
	text, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	if len(text) > MaxMessage {
		return 0, fmt.Errorf("an event of room %s has %d bytes, more than %d", code, len(text), MaxMessage)
	}
	// The ID makes sending it again safe.
	ack, err := j.store.publish(ctx, &nats.Msg{Subject: subject, Data: text}, jetstream.WithMsgID(code+"/"+id),
		jetstream.WithExpectStream(roomStream))
	if err != nil {
		return 0, fmt.Errorf("store an event of room %s: %w", code, err)
	}
	if !ack.Duplicate {
		err = j.tally.add(ack.Sequence)
	}
	return ack.Sequence, err
}

func eventSubject(code string) string { return "rooms." + code + ".event" }

func submissionSubject(code, id string) string { return "rooms." + code + ".submission." + id }

func regradeSubject(code, id string) string { return "rooms." + code + ".regrade." + id }

// errForeign is the error for a message that this program has not written.
var errForeign = errors.New("start the release of the runner that wrote it, or choose another --state")

// errUnreadable is the error for events that the embedded server skips when they are read.
var errUnreadable = errors.New("the files are damaged, and events of the rooms cannot be read: " + restore)

// Follow calls apply with every event of all rooms in their order, first the events that the journal has, then new ones
// as they are stored, until ctx is done. It calls caughtUp once, after the events that the journal has. Where the
// connection breaks off, it continues with the next event. Its only other errors are a message that this program has not
// written, and damaged files of the embedded server.
func (j *Journal) Follow(
	ctx context.Context, apply func(code string, sequence uint64, e room.Event), caughtUp func(),
) error {
	caughtUp = sync.OnceFunc(caughtUp)
	last := uint64(0) // number of the last event that was applied
	for {
		err := j.follow(ctx, last, func(code string, sequence uint64, e room.Event) {
			last = sequence
			apply(code, sequence, e)
		}, caughtUp)
		if errors.Is(err, errForeign) || errors.Is(err, errUnreadable) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryTime):
			j.log.Warn("reading the events of rooms was interrupted; it continues", "after", last, "error", err)
		}
	}
}

// follow is Follow from the event after the last one, and until the connection breaks off.
func (j *Journal) follow(
	ctx context.Context, last uint64, apply func(code string, sequence uint64, e room.Event), caughtUp func(),
) error {
	consumer, err := j.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: last + 1,
		// When its server dies, an ordered consumer is made anew under the same name. NATS may place the new one on the
		// dead server, too, and then refuses it until the server is back; the client would try without end, also after
		// ctx is done. Follow begins again with another name.
		MaxResetAttempts: 1,
	})
	if err != nil {
		return err
	}
	info, err := j.stream.Info(ctx)
	if err != nil {
		return err
	}
	begin := beginning{embedded: j.store.embedded != nil && last == 0, last: info.State.LastSeq, left: info.State.Msgs}
	if consumer.CachedInfo().NumPending == 0 {
		begin.over = true
		caughtUp()
	}
	// Messages are bounded by their size: five hundred, the default, would be 500 MiB.
	messages, err := consumer.Messages(jetstream.PullMaxBytes(4*maxPayload), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := begin.next(ctx, messages)
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err == nil {
			err = begin.read(meta)
		}
		if err != nil {
			return err
		}
		var r Record
		if err := json.Unmarshal(m.Data(), &r); err != nil {
			return fmt.Errorf("event %d of the rooms is not one that this program writes: %v: %w",
				meta.Sequence.Stream, err, errForeign)
		}
		apply(roomOf(m.Subject()), meta.Sequence.Stream, r.Event)
		if begin.over || meta.NumPending == 0 {
			begin.over = true
			caughtUp()
		}
	}
}

// A beginning is what a journal has when it is read. The embedded server skips a message that it cannot read, and counts
// it as one that is still to come: without a count, a follower would wait for it for ever.
type beginning struct {
	embedded bool   // whether to count
	last     uint64 // number of the last message
	left     uint64 // how many are to come
	over     bool
}

// next returns the next message. One that the server has should come soon.
func (b *beginning) next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	if !b.embedded || b.over {
		return messages.Next(jetstream.NextContext(ctx))
	}
	soon, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	m, err := messages.Next(jetstream.NextContext(soon))
	if err != nil && ctx.Err() == nil && soon.Err() != nil {
		return nil, errUnreadable
	}
	return m, err
}

// read counts a message. It is an error if the last one is read and others were not.
func (b *beginning) read(meta *jetstream.MsgMetadata) error {
	if !b.embedded || b.over {
		return nil
	}
	b.left--
	if b.over = meta.Sequence.Stream >= b.last; b.over && b.left > 0 {
		return fmt.Errorf("%d of them: %w", b.left, errUnreadable)
	}
	return nil
}

// roomOf returns the code of the room that a subject belongs to.
func roomOf(subject string) string {
	code, _, _ := strings.Cut(strings.TrimPrefix(subject, "rooms."), ".")
	return code
}

// codeBeside returns the code of the room that a verdict or the code of a check belongs to. Their subjects are not in
// the stream of the rooms.
func codeBeside(subject string) (code string, ok bool) {
	for _, prefix := range []string{"$KV." + verdictBucket + ".", checkedStream + "."} {
		if key, ok := strings.CutPrefix(subject, prefix); ok {
			code, _, _ = strings.Cut(key, ".")
			return code, true
		}
	}
	return "", false
}

// Submission returns what was handed in. The error is jetstream.ErrMsgNotFound if the journal does not have it.
func (j *Journal) Submission(ctx context.Context, code, id string) (Record, error) {
	m, err := j.stream.GetLastMsgForSubject(ctx, submissionSubject(code, id))
	if err != nil {
		return Record{}, fmt.Errorf("read submission %s of room %s: %w", id, code, err)
	}
	var r Record
	err = json.Unmarshal(m.Data, &r)
	r.Event = r.Event.Renumbered()
	return r, err
}

// Delete removes all events and submissions of a room, the verdicts on them, and the code of checks. Only one event is left, by which every
// server knows that the room was deleted; sequence is its number. The files of the embedded server have the text of
// what was removed, and that event, until the store is closed, or opened again; see compact.go. The servers of a cluster
// have it for longer: deploying.md says how it is removed.
func (j *Journal) Delete(ctx context.Context, code string) (sequence uint64, err error) {
	deleted := Record{Event: room.Event{Kind: room.Deleted, Time: time.Now()}}
	sequence, err = j.Append(ctx, code, "deleted", deleted)
	if errors.Is(err, ErrFull) {
		// Deleting makes room for the event.
		if err = j.purge(ctx, code); err == nil {
			sequence, err = j.Append(ctx, code, "deleted", deleted)
		}
	}
	if err != nil {
		return 0, err
	}
	return sequence, j.purge(ctx, code, jetstream.WithPurgeSequence(sequence))
}

func (j *Journal) purge(ctx context.Context, code string, o ...jetstream.StreamPurgeOpt) error {
	if err := errors.Join(j.tally.set(0), j.judged.set(0)); err != nil {
		return err
	}
	verdicts, err := j.store.js.Stream(ctx, verdictStream)
	if err == nil {
		err = j.stream.Purge(ctx, append(o, jetstream.WithPurgeSubject("rooms."+code+".>"))...)
	}
	if err == nil {
		err = verdicts.Purge(ctx, jetstream.WithPurgeSubject("$KV."+verdictBucket+"."+code+".>"))
	}
	if err == nil {
		err = j.purgeChecked(ctx, code)
	}
	if err == nil {
		err = recount(ctx, j.stream, j.tally)
	}
	if err == nil {
		err = recount(ctx, verdicts, j.judged)
	}
	if err != nil {
		return fmt.Errorf("delete room %s: %w", code, err)
	}
	return nil
}

// ReadOnly reports whether nothing can be stored at this moment, because the disk is full.
func (j *Journal) ReadOnly() bool { return j.store.ReadOnly() }

// Bytes returns the size of the rooms, the verdicts and the code of checks.
func (j *Journal) Bytes(ctx context.Context) (uint64, error) {
	rooms, err := j.stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	verdicts, err := j.verdicts.Status(ctx)
	if err != nil {
		return 0, err
	}
	checked, err := j.checked.Info(ctx)
	if err != nil {
		return 0, err
	}
	return rooms.State.Bytes + verdicts.Bytes() + checked.State.Bytes, nil
}

// recount records how many messages a stream has.
func recount(ctx context.Context, stream jetstream.Stream, t *tally) error {
	info, err := stream.Info(ctx)
	if err != nil {
		return err
	}
	return t.set(info.State.Msgs)
}
