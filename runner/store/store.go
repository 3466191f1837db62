// Package store keeps what a runner must not lose, in NATS JetStream: the programs that readers share, in a [Snippets],
// and the rooms of classes, in a [Journal].
//
// The limits of a shared program are in snippets.go. Graders take submissions from the journal in grade.go.
//
// By default a NATS server runs inside this process and keeps its files in a folder, which only one runner may use at a
// time. With an address the store is a cluster instead, and every runner of the cluster finds what another one stored.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxPayload bounds a message with its headers in bytes. It is NATS's default bound, so that any cluster takes it.
	maxPayload = 1 << 20
	// DefaultMaxBytes bounds the files of the embedded server in bytes. A full store refuses what is new; it loses
	// nothing.
	DefaultMaxBytes = 4 << 30
	// timeout bounds each exchange with the server, where the caller has no deadline.
	timeout = 5 * time.Second
	// retryTime is the time after which something that failed is tried again: connecting, or writing to the disk.
	retryTime = time.Second
	// openTime bounds creating streams. A cluster that has just been started needs some seconds to elect its leaders.
	openTime = 30 * time.Second
	// replicas is how many servers of a cluster keep each message: with three, one may fail.
	replicas = 3
)

// ErrFull is the error for what cannot be stored because there is no space for it, on the disk or within a limit. It is
// stored once there is.
var ErrFull = errors.New("the store is full")

// ErrInUse is the error of Open for a folder that another runner uses.
var ErrInUse = errors.New("another runner uses this folder: end that one, or choose another folder with --state")

// A Store is a connection to a NATS server. It is safe for concurrent use.
type Store struct {
	Conn *nats.Conn

	js       jetstream.JetStream
	log      *slog.Logger
	replicas int       // how many servers keep each message
	where    string    // the folder, or the hosts of the cluster, for errors
	embedded *embedded // nil with a cluster
	tallies  []*tally
	journal  *Journal // of the embedded server, once it is known to be whole
}

// Options say where a store is.
type Options struct {
	Dir         string // the folder of the embedded server
	MaxBytes    int64  // bound of its files; 0 is DefaultMaxBytes
	URL         string // addresses of a cluster, which takes the place of the embedded server; "" for none
	Credentials string // file with the credentials for the cluster; "" if URL has them, or none are needed
	Log         *slog.Logger
}

// Open opens a store, and creates the folder if it is not there yet. The error says which folder or address it is
// about; it never contains a password or a token of the address.
func Open(o Options) (_ *Store, err error) {
	log := cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &Store{log: log, where: o.Dir, replicas: 1}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if o.URL == "" {
		if s.embedded, err = startEmbedded(o.Dir, cmp.Or(o.MaxBytes, DefaultMaxBytes), log); err != nil {
			return nil, fmt.Errorf("open the store in %s: %w", s.where, err)
		}
		s.Conn, err = nats.Connect("", nats.InProcessServer(s.embedded), nats.MaxReconnects(-1),
			nats.ReconnectWait(retryTime/20), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
				log.Debug("store", "nats", err) // when the server is replaced
			}))
	} else {
		s.where = Hosts(o.URL)
		s.Conn, err = connect(o.URL, o.Credentials, log)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", s.where, err)
	}
	if s.Conn.ConnectedClusterName() != "" {
		s.replicas = replicas
	}
	s.js, err = jetstream.New(s.Conn, jetstream.WithDefaultTimeout(timeout))
	return s, err
}

func connect(url, credentials string, log *slog.Logger) (*nats.Conn, error) {
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

// create has make make streams, or find them. It calls make again for as long as a cluster that has just been started
// cannot answer.
func (s *Store) create(ctx context.Context, make func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	patience := timeout
	if s.embedded != nil {
		patience = openTime // it is there, and only slow if the machine is busy
	}
	for {
		trying, stop := context.WithTimeout(ctx, patience)
		err := make(trying)
		stop()
		if err == nil {
			return nil
		}
		// Without an answer of the server, or with these codes, the cluster has no leader yet.
		var api *jetstream.APIError
		if s.embedded == nil && (!errors.As(err, &api) || api.Code == 503 || api.Code == 500) {
			select {
			case <-time.After(retryTime):
				continue
			case <-ctx.Done():
			}
		}
		return fmt.Errorf("open the store in %s: %w", s.where, full(err))
	}
}

// read calls each with the headers of the messages after the one with the number last, and returns the last number.
func (s *Store) read(
	ctx context.Context, stream jetstream.Stream, last uint64, each func(jetstream.Msg, *jetstream.MsgMetadata) error,
) (uint64, error) {
	info, err := stream.Info(ctx)
	if err != nil || info.State.LastSeq <= last {
		return last, err
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: last + 1, HeadersOnly: true,
	})
	if err != nil {
		return last, err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return last, err
	}
	defer messages.Stop()
	for pending := consumer.CachedInfo().NumPending; pending > 0 && last < info.State.LastSeq; {
		next, cancel := context.WithTimeout(ctx, openTime)
		m, err := messages.Next(jetstream.NextContext(next))
		cancel()
		if err != nil {
			return last, fmt.Errorf("read what follows message %d: %w", last, err)
		}
		meta, err := m.Metadata()
		if err == nil {
			err = each(m, meta)
		}
		if err != nil {
			return last, err
		}
		last, pending = meta.Sequence.Stream, meta.NumPending
	}
	return max(last, info.State.LastSeq), nil
}

// publish stores a message and returns once it is on disk. The error is ErrFull if nothing more can be stored.
func (s *Store) publish(
	ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	if s.embedded != nil {
		// A server that cannot write to the disk does not answer.
		var cancel context.CancelFunc
		ctx, cancel = s.embedded.whileWritable(ctx)
		defer cancel()
	}
	// A cluster that has just lost a server elects another leader within seconds.
	o = append(o, jetstream.WithRetryAttempts(10), jetstream.WithRetryWait(timeout/20))
	ack, err := s.js.PublishMsg(ctx, m, o...)
	if err != nil && errors.Is(context.Cause(ctx), ErrFull) {
		return nil, context.Cause(ctx)
	}
	return ack, full(err)
}

// ReadOnly reports whether the embedded server cannot write to the disk at this moment.
func (s *Store) ReadOnly() bool {
	if s.embedded == nil {
		return false
	}
	_, writable := s.embedded.running()
	return writable.Err() != nil
}

func noSpace(cause error) error {
	return fmt.Errorf("%w: delete rooms, or free space in the folder of --state (%w)", ErrFull, cause)
}

// full returns ErrFull for the errors by which the server says that it has no room left, and other errors unchanged.
func full(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case 10002, // resource limits of the account are exceeded
			10023, // insufficient resources
			10047, // insufficient storage resources available
			10077: // the message could not be written
			return noSpace(err)
		}
	}
	return err
}

// Close closes the connection, and ends the embedded server once its files are written. Deleted rooms are removed from
// them for at most compactTime.
func (s *Store) Close() {
	if s.Conn != nil {
		s.Conn.Close()
	}
	if s.journal != nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.journal.compactTime)
		s.journal.compactLogged(ctx)
		cancel()
		s.journal = nil
	}
	if s.embedded != nil {
		s.embedded.close()
	}
	for _, t := range s.tallies {
		t.file.Close()
	}
}
