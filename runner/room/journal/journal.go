// Package journal stores the events of rooms, what participants hand in, and the verdicts on it, in NATS JetStream.
//
// By default a NATS server runs inside this process and keeps its files in a folder. With an address the journal uses a
// cluster instead, with the same subjects:
//
//	rooms.CODE.event            a room.Event
//	rooms.CODE.submission.ID    a submission with its files, as an event of the room and as a task for the graders
//	rooms.CODE.regrade.ID       a request to grade it again, as an event and as a task
//
// All are in one stream, whose numbers order what happened in a room. The stream keeps its messages until a room is
// deleted, so that a submission can be graded again, and so that the server recognizes a message that is sent twice
// even after a restart. Verdicts are in a bucket, each under its submission, and are written once.
package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
)

const (
	streamName = "rooms"
	bucketName = "verdicts"

	// MaxMessage bounds a message in bytes: an event with the files of a submission, as JSON, which may take up to six
	// bytes for each byte of a file. It is below NATS's default bound, 1 MiB, so that any cluster takes it.
	MaxMessage = 1<<20 - 16<<10
	maxPayload = 1 << 20 // bytes of a message with its headers, for the embedded server
	// maxStore bounds the files of the embedded server in bytes. A full journal refuses what is new; it loses nothing.
	maxStore = 4 << 30
	// duplicates is how long the server recognizes a repeated message by its ID. A repetition after that is stored, and
	// ignored by room.Room.
	duplicates = time.Hour
	// timeout bounds each exchange with the server.
	timeout = 5 * time.Second
	// openTime bounds Open. A cluster that has just been started needs some seconds to elect its leaders.
	openTime = 30 * time.Second
	// heartbeat is the interval in which the server that delivers messages says that it is there. After two missed
	// heartbeats the messages are requested again, since a server that dies forgets the requests. The default is 15 s.
	heartbeat = 2 * time.Second
	// retryTime is the time after which a lost connection to the stream is made anew.
	retryTime = time.Second
)

// ErrFull is the error of Append for a journal that has no room left, on its disk or within its bounds.
var ErrFull = errors.New("the disk has no space left for the rooms: delete rooms, " +
	"or free space in the folder of --state")

// errBroken is the error for everything that is to be stored after writing to the disk has failed.
var errBroken = fmt.Errorf("%w; then restart the runner, which until then only shows what is stored", ErrFull)

// A Journal stores rooms. It is safe for concurrent use.
type Journal struct {
	log      *slog.Logger
	embedded *embedded // nil with a cluster
	conn     *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	verdicts jetstream.KeyValue
	tally    *tally // nil with a cluster
	ackWait  time.Duration
}

// Options say where a journal is.
type Options struct {
	Dir         string // the folder of the embedded server
	MaxBytes    int64  // bound of its files; 0 is 4 GiB
	URL         string // addresses of a cluster, which takes the place of the embedded server; "" for none
	Credentials string // file with the credentials for the cluster; "" if URL has them, or none are needed
	Log         *slog.Logger
}

// replicas is how many servers of a cluster keep each message: with three, one may fail.
const replicas = 3

// Open opens the journal, and creates what is not there yet. The error says which folder or address it is about; it
// never contains a password or a token of the address.
func Open(ctx context.Context, o Options) (_ *Journal, err error) {
	j := &Journal{log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), ackWait: ackWait}
	defer func() {
		if err != nil {
			j.Close()
		}
	}()
	where := o.Dir
	if o.URL == "" {
		if j.embedded, err = startEmbedded(o.Dir, cmp.Or(o.MaxBytes, maxStore), j.log); err != nil {
			return nil, fmt.Errorf("open the rooms in %s: %w", where, err)
		}
		j.conn, err = nats.Connect("", nats.InProcessServer(j.embedded), nats.MaxReconnects(-1))
	} else {
		where = Hosts(o.URL)
		j.conn, err = Connect(o.URL, o.Credentials, j.log)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", where, err)
	}
	if j.js, err = jetstream.New(j.conn, jetstream.WithDefaultTimeout(timeout)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	for {
		if err = j.create(ctx); err == nil || j.embedded != nil || !transient(err) {
			break
		}
		select {
		case <-time.After(retryTime):
			continue
		case <-ctx.Done():
		}
		break
	}
	if err == nil && j.embedded != nil {
		j.tally, err = openTally(o.Dir, j.stream.CachedInfo().State)
	}
	if err != nil {
		return nil, fmt.Errorf("open the rooms in %s: %w", where, err)
	}
	return j, nil
}

// transient reports whether an error may go away by itself: the cluster has no leader, or does not answer.
func transient(err error) bool {
	var api *jetstream.APIError
	return !errors.As(err, &api) || api.Code == 503 || api.Code == 500
}

// Connect connects to the servers of a cluster. Errors do not contain what url has besides hosts.
func Connect(url, credentials string, log *slog.Logger) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("onthestack"), nats.MaxReconnects(-1), nats.ReconnectWait(retryTime), nats.Timeout(timeout),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("lost the connection to NATS; it is made anew", "error", err)
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { log.Info("connected to NATS", "server", c.ConnectedServerName()) }),
	}
	if credentials != "" {
		options = append(options, nats.UserCredentials(credentials))
	}
	return nats.Connect(url, options...)
}

// Hosts returns the hosts of addresses of NATS servers, which are separated by commas, without the user names,
// passwords and tokens that the addresses may contain.
func Hosts(addresses string) string {
	var hosts []string
	for address := range strings.SplitSeq(addresses, ",") {
		host := "?"
		if u, err := url.Parse(strings.TrimSpace(address)); err == nil && u.Host != "" {
			host = u.Host
		}
		hosts = append(hosts, host)
	}
	return strings.Join(hosts, ", ")
}

// create creates the stream and the bucket, or finds them.
func (j *Journal) create(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	keep := 1
	if j.conn.ConnectedClusterName() != "" {
		keep = replicas
	}
	j.stream, err = j.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: streamName, Subjects: []string{"rooms.*.event", "rooms.*.submission.*", "rooms.*.regrade.*"},
		Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxMsgSize: MaxMessage, Duplicates: duplicates, Replicas: keep, DenyDelete: true,
	})
	if err != nil {
		return fmt.Errorf("create the stream %q on %d servers: %w", streamName, keep, err)
	}
	j.verdicts, err = j.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucketName, Storage: jetstream.FileStorage, Replicas: keep, MaxValueSize: MaxMessage,
	})
	if err != nil {
		return fmt.Errorf("create the bucket %q on %d servers: %w", bucketName, keep, err)
	}
	return nil
}

// Close closes the connection, and ends the embedded server once its files are written.
func (j *Journal) Close() {
	if j.conn != nil {
		j.conn.Close()
	}
	if j.embedded != nil {
		j.embedded.stop()
		j.tally.close()
	}
}

// Conn returns the journal's connection.
func (j *Journal) Conn() *nats.Conn { return j.conn }

// A Record is a message of the journal: an event, with the files of what was handed in.
type Record struct {
	room.Event
	Files map[string]string `json:"files,omitempty"`
}

// Append stores an event and returns its number. It returns once the event is on disk. An event with the ID of an
// earlier one is not stored again; the number is then the earlier one's. The error is ErrFull if nothing more can be
// stored.
func (j *Journal) Append(ctx context.Context, code, id string, r Record) (sequence uint64, err error) {
	subject := eventSubject(code)
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
	if len(text) > MaxMessage {
		return 0, fmt.Errorf("an event of room %s has %d bytes, more than %d", code, len(text), MaxMessage)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if j.embedded != nil {
		defer context.AfterFunc(j.embedded.log.broken, cancel)()
	}
	// A cluster that has just lost a server elects another leader within seconds. The ID makes sending it again safe.
	ack, err := j.js.Publish(ctx, subject, text, jetstream.WithMsgID(code+"/"+id),
		jetstream.WithExpectStream(streamName), jetstream.WithRetryAttempts(10), jetstream.WithRetryWait(timeout/20))
	if err != nil && j.embedded != nil && j.embedded.log.broken.Err() != nil {
		err = errBroken
	}
	if err != nil {
		return 0, fmt.Errorf("store an event of room %s: %w", code, full(err))
	}
	if !ack.Duplicate {
		err = j.tally.add(ack.Sequence)
	}
	return ack.Sequence, err
}

// full returns ErrFull for the errors by which the server says that it has no room left, and other errors unchanged.
func full(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case 10023, // insufficient resources
			10047, // insufficient storage resources available
			10077: // the message could not be written
			return fmt.Errorf("%w (%w)", ErrFull, err)
		}
	}
	return err
}

func eventSubject(code string) string { return "rooms." + code + ".event" }

func submissionSubject(code, id string) string { return "rooms." + code + ".submission." + id }

// errForeign is the error for a message that this program has not written.
type errForeign struct {
	sequence uint64
	err      error
}

func (e *errForeign) Error() string {
	return fmt.Sprintf("event %d of the rooms is not one that this program writes: %v: "+
		"start the release of the runner that wrote it, or choose another --state", e.sequence, e.err)
}

// Follow calls apply with every event of all rooms in their order, first the events that the journal has, then new ones
// as they are stored, until ctx is done. It calls caughtUp once, after the events that the journal has. Where the
// connection breaks off, it continues with the next event. Its only other error is a message that this program has not
// written.
func (j *Journal) Follow(
	ctx context.Context, apply func(code string, sequence uint64, e room.Event), caughtUp func(),
) error {
	f := follower{apply: apply, caughtUp: caughtUp}
	for {
		err := f.follow(ctx, j.stream)
		if foreign := (*errForeign)(nil); errors.As(err, &foreign) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryTime):
			j.log.Warn("reading the events of rooms was interrupted; it continues", "after", f.last, "error", err)
		}
	}
}

// A follower reads the events of all rooms.
type follower struct {
	apply    func(code string, sequence uint64, e room.Event)
	caughtUp func() // nil once it was called
	last     uint64 // number of the last event that was applied
}

func (f *follower) follow(ctx context.Context, stream jetstream.Stream) error {
	if err := f.compare(ctx, stream); err != nil {
		return err
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.last + 1,
		// When its server dies, an ordered consumer is made anew under the same name. NATS may place the new one on the
		// dead server, too, and then refuses it until the server is back; the client would try without end, also after
		// ctx is done. Follow begins again with another name.
		MaxResetAttempts: 1,
	})
	if err != nil {
		return err
	}
	// Messages are bounded by their size: five hundred, the default, would be 500 MiB.
	messages, err := consumer.Messages(jetstream.PullMaxBytes(4*maxPayload), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		var r Record
		if err := json.Unmarshal(m.Data(), &r); err != nil {
			return &errForeign{meta.Sequence.Stream, err}
		}
		f.last = meta.Sequence.Stream
		f.apply(roomOf(m.Subject()), f.last, r.Event)
		if meta.NumPending == 0 {
			f.caught()
		}
	}
}

// compare calls caughtUp if the last event of the stream was applied already, or if there is none. The stream's last
// sequence number is not enough, because that event may have been deleted with its room.
func (f *follower) compare(ctx context.Context, stream jetstream.Stream) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	m, err := stream.GetLastMsgForSubject(ctx, "rooms.>")
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return err
	}
	if err != nil || m.Sequence <= f.last {
		f.caught()
	}
	return nil
}

func (f *follower) caught() {
	if f.caughtUp != nil {
		f.caughtUp()
		f.caughtUp = nil
	}
}

// roomOf returns the code of the room that a subject belongs to.
func roomOf(subject string) string {
	code, _, _ := strings.Cut(strings.TrimPrefix(subject, "rooms."), ".")
	return code
}

// Submission returns what was handed in. The error is jetstream.ErrMsgNotFound if the journal does not have it.
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

// Delete removes all events and submissions of a room, and the verdicts on them. Only one event is left, by which every
// server knows that the room was deleted; sequence is its number.
func (j *Journal) Delete(ctx context.Context, code string) (sequence uint64, err error) {
	sequence, err = j.Append(ctx, code, "deleted", Record{Event: room.Event{Kind: room.Deleted, Time: time.Now()}})
	if errors.Is(err, ErrFull) {
		// Deleting makes room for the event.
		if err = j.purge(ctx, code); err == nil {
			sequence, err = j.Append(ctx, code, "deleted",
				Record{Event: room.Event{Kind: room.Deleted, Time: time.Now()}})
		}
	}
	if err != nil {
		return 0, err
	}
	return sequence, j.purge(ctx, code, jetstream.WithPurgeSequence(sequence))
}

func (j *Journal) purge(ctx context.Context, code string, o ...jetstream.StreamPurgeOpt) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := j.tally.set(0); err != nil {
		return err
	}
	if err := j.stream.Purge(ctx, append(o, jetstream.WithPurgeSubject("rooms."+code+".>"))...); err != nil {
		return fmt.Errorf("delete room %s: %w", code, err)
	}
	info, err := j.stream.Info(ctx)
	if err == nil {
		err = j.tally.set(info.State.Msgs)
	}
	if err != nil {
		return fmt.Errorf("delete room %s: %w", code, err)
	}
	verdicts, err := j.js.Stream(ctx, "KV_"+bucketName)
	if err == nil {
		err = verdicts.Purge(ctx, jetstream.WithPurgeSubject("$KV."+bucketName+"."+code+".>"))
	}
	if err != nil {
		return fmt.Errorf("delete the verdicts of room %s: %w", code, err)
	}
	return nil
}
