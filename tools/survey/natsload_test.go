package survey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// natsLimit bounds how long a client waits for an answer: the machine may be busy.
const natsLimit = time.Minute

// natsPorts is where a NATS server listens, as it writes to a file.
type natsPorts struct {
	Nats, Monitoring, Profile []string
}

// profileNATS runs a NATS server for publishers and subscribers, clients that come and go, streams, consumers, a bucket
// of keys and one of objects, and its monitoring.
func profileNATS(ctx context.Context, r run) error {
	return r.serve(ctx, func(ctx context.Context) (string, error) {
		var ports natsPorts
		err := await(ctx, func() error {
			files, err := filepath.Glob(filepath.Join(r.dir, "*.ports"))
			if err != nil || len(files) != 1 {
				return errors.Join(err, errors.New("the server has written no file of its ports"))
			}
			text, err := os.ReadFile(files[0])
			if err != nil {
				return err
			}
			return json.Unmarshal(text, &ports)
		})
		if err != nil {
			return "", err
		}
		if len(ports.Nats) == 0 || len(ports.Monitoring) == 0 || len(ports.Profile) == 0 {
			return "", fmt.Errorf("the server does not listen on all ports: %+v", ports)
		}
		for _, load := range []func(context.Context, natsPorts) error{natsClients, natsMessages, natsStreams, natsBuckets,
			natsMonitoring} {
			if err := load(ctx, ports); err != nil {
				return "", err
			}
		}
		return ports.Profile[0] + "/debug/pprof/allocs?gc=1", nil
	}, "-a", "127.0.0.1", "-p", "-1", "-m", "-1", "--profile", "-1", "--ports_file_dir", r.dir, "-js", "-sd",
		filepath.Join(r.dir, "store"))
}

func connect(ports natsPorts, options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(ports.Nats[0], append(options, nats.Timeout(natsLimit))...)
}

// natsClients connects clients that subscribe, receive a message and leave.
func natsClients(_ context.Context, ports natsPorts) error {
	for i := range 300 {
		c, err := connect(ports, nats.Name(fmt.Sprintf("client %d", i)))
		if err != nil {
			return err
		}
		sub, err := c.SubscribeSync(fmt.Sprintf("greetings.%d.*", i))
		if err == nil {
			err = c.Publish(fmt.Sprintf("greetings.%d.hello", i), []byte("hello"))
		}
		if err == nil {
			_, err = sub.NextMsg(natsLimit)
		}
		if c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// natsMessages sends messages with and without headers to subscribers and queue groups, and requests to a responder.
func natsMessages(ctx context.Context, ports natsPorts) error {
	c, err := connect(ports)
	if err != nil {
		return err
	}
	defer c.Close()
	discard := func(*nats.Msg) {}
	for i := range 10 {
		worker, err := connect(ports)
		if err != nil {
			return err
		}
		defer worker.Close()
		_, all := worker.Subscribe("prices.>", discard)
		_, one := worker.Subscribe(fmt.Sprintf("prices.%d.*", i), discard)
		_, queue := worker.QueueSubscribe("jobs.*", "workers", discard)
		_, asked := worker.QueueSubscribe("ask", "responders", func(m *nats.Msg) { m.Respond(m.Data) })
		if err := errors.Join(all, one, queue, asked, worker.Flush()); err != nil {
			return err
		}
	}
	data := bytes.Repeat([]byte("x"), 256)
	for i := range 20_000 {
		m := nats.NewMsg(fmt.Sprintf("prices.%d.%d", i%20, i%1000))
		if m.Data = data; i%2 == 0 {
			m.Header.Set("Trace", fmt.Sprint(i))
		}
		if err := errors.Join(c.PublishMsg(m), c.Publish(fmt.Sprintf("jobs.%d", i), data)); err != nil {
			return err
		}
	}
	for range 2000 {
		if _, err := c.RequestWithContext(ctx, "ask", data); err != nil {
			return err
		}
	}
	return c.Flush()
}

// natsStreams stores messages in files and in memory, and consumes them.
func natsStreams(ctx context.Context, ports natsPorts) error {
	c, err := connect(ports)
	if err != nil {
		return err
	}
	defer c.Close()
	js, err := jetstream.New(c)
	if err != nil {
		return err
	}
	const messages = 10_000
	for name, storage := range map[string]jetstream.StorageType{"orders": jetstream.FileStorage,
		"events": jetstream.MemoryStorage} {
		s, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, Storage: storage})
		if err != nil {
			return err
		}
		for i := range messages {
			m := nats.NewMsg(fmt.Sprintf("%s.%d.new", name, i%500))
			m.Data = bytes.Repeat([]byte("y"), 100+i%400)
			if _, err := js.PublishMsgAsync(m, jetstream.WithMsgID(fmt.Sprint(i)),
				jetstream.WithStallWait(natsLimit)); err != nil {
				return err
			}
		}
		select {
		case <-js.PublishAsyncComplete():
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := natsConsumers(ctx, s, messages); err != nil {
			return err
		}
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(name+".1.*")); err != nil {
			return err
		}
	}
	return nil
}

// natsConsumers consumes all messages of a stream, and makes consumers for single subjects.
func natsConsumers(ctx context.Context, s jetstream.Stream, messages int) error {
	all, err := s.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "all", AckPolicy: jetstream.AckExplicitPolicy})
	if err != nil {
		return err
	}
	for got := 0; got < messages; {
		batch, err := all.Fetch(500, jetstream.FetchMaxWait(natsLimit))
		if err != nil {
			return err
		}
		before := got
		for m := range batch.Messages() {
			if got++; m.Ack() != nil {
				return errors.New("a message cannot be acknowledged")
			}
		}
		if err := batch.Error(); err != nil || got == before {
			return fmt.Errorf("%d of %d messages were received: %w", got, messages, err)
		}
	}
	for i := range 100 {
		filter := fmt.Sprintf("%s.%d.*", s.CachedInfo().Config.Name, i)
		one, err := s.CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: filter})
		if err != nil {
			return err
		}
		batch, err := one.Fetch(5, jetstream.FetchMaxWait(natsLimit))
		if err != nil {
			return err
		}
		for m := range batch.Messages() {
			m.Ack()
		}
		if _, err := s.Info(ctx); err != nil {
			return err
		}
		if err := s.DeleteConsumer(ctx, one.CachedInfo().Name); err != nil {
			return err
		}
	}
	return nil
}

// natsBuckets puts, gets and deletes keys and objects.
func natsBuckets(ctx context.Context, ports natsPorts) error {
	c, err := connect(ports)
	if err != nil {
		return err
	}
	defer c.Close()
	js, err := jetstream.New(c)
	if err != nil {
		return err
	}
	keys, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "settings", History: 5})
	if err != nil {
		return err
	}
	for i := range 2000 {
		key := fmt.Sprintf("user.%d", i%300)
		_, err := keys.PutString(ctx, key, fmt.Sprint("value ", i))
		if err == nil {
			_, err = keys.Get(ctx, key)
		}
		if err == nil && i%5 == 0 {
			err = keys.Delete(ctx, key)
		}
		if err != nil {
			return err
		}
	}
	objects, err := js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "files"})
	if err != nil {
		return err
	}
	for i := range 10 {
		name := fmt.Sprint("file ", i)
		if _, err := objects.PutBytes(ctx, name, bytes.Repeat([]byte("z"), 300_000)); err != nil {
			return err
		}
		if _, err := objects.GetBytes(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// natsMonitoring asks the server how it is.
func natsMonitoring(ctx context.Context, ports natsPorts) error {
	for range 30 {
		for _, path := range []string{"/varz", "/connz?subs=1", "/routez", "/subsz?subs=1",
			"/jsz?streams=1&consumers=1&config=1", "/accountz", "/healthz"} {
			if err := request(ctx, http.MethodGet, ports.Monitoring[0]+path, "", nil); err != nil {
				return err
			}
		}
	}
	return nil
}
