package snippets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	bucketName = "snippets"
	// replicas is how many servers of a cluster keep each snippet: with three, one may fail.
	replicas = 3
	// clusterTimeout bounds each call to the cluster.
	clusterTimeout = 5 * time.Second
	// lag is how long a server of the cluster may be behind the one that took a snippet.
	lag = 100 * time.Millisecond
	// entryBytes is the most that a snippet takes in the bucket besides its body: key, headers and checksum.
	entryBytes = 512
)

// A cluster is a bucket of NATS JetStream, in which the runners of a cluster find each other's snippets.
type cluster struct {
	bucket  jetstream.KeyValue
	timeout time.Duration // of each put and get
}

// Join makes the store share its snippets with the stores of other runners that join the same NATS cluster: Put stores
// each snippet there too, and Get finds theirs. It must be called before Put and Get. A snippet that was stored before
// is in the cluster once somebody shares it again.
//
// The first store that joins sets the cluster's bound on bytes and, with Limits.Evict, the time after which the cluster
// removes a snippet that nobody has shared since. Limits on a client hold for each store.
func (s *Store) Join(ctx context.Context, conn *nats.Conn) error {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(clusterTimeout))
	if err != nil {
		return err
	}
	keep := 1
	if conn.ConnectedClusterName() != "" {
		keep = replicas
	}
	bucket, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucketName, Description: "programs that readers share", Storage: jetstream.FileStorage, Replicas: keep,
		MaxValueSize: MaxBody + entryBytes, MaxBytes: s.limits.Bytes + entryBytes*s.limits.Count, TTL: s.limits.Evict,
	})
	if errors.Is(err, jetstream.ErrBucketExists) { // with other limits, which stay
		bucket, err = js.KeyValue(ctx, bucketName)
	}
	if err != nil {
		return fmt.Errorf("open the bucket %q on %d servers: %w", bucketName, keep, err)
	}
	s.cluster = &cluster{bucket, clusterTimeout}
	return nil
}

// put stores a snippet in the bucket, unless it is there already. If renew is true and the entry is older than renewal,
// put stores it again, because the bucket removes an entry a fixed time after it was stored.
func (c *cluster) put(ctx context.Context, id string, body []byte, renew bool) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	_, err := c.bucket.Create(ctx, id, body)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return explainCluster("store a snippet", err)
	}
	entry, err := c.bucket.Get(ctx, id)
	for errors.Is(err, jetstream.ErrKeyNotFound) && ctx.Err() == nil {
		// Another runner is storing it at this moment, or the server that answers is behind.
		time.Sleep(lag)
		entry, err = c.bucket.Get(ctx, id)
	}
	switch {
	case err != nil:
	case !bytes.Equal(entry.Value(), body):
		return fmt.Errorf("store a snippet in the NATS cluster: another snippet has the id %s", id)
	case renew && time.Since(entry.Created()) >= renewal:
		if _, err = c.bucket.Put(ctx, id, body); errors.Is(explainCluster("", err), ErrFull) {
			err = nil // the snippet is there
		}
	}
	return explainCluster("store a snippet", err)
}

// get returns the body of a snippet, or ErrNotFound.
func (c *cluster) get(ctx context.Context, id string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	entry, err := c.bucket.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		// The server that answers may be behind the one that took the snippet.
		time.Sleep(lag)
		entry, err = c.bucket.Get(ctx, id)
	}
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, ErrNotFound
	case err != nil:
		return nil, explainCluster("read a snippet", err)
	}
	return entry.Value(), nil
}

// explainCluster wraps an error with the operation that failed. The result also wraps ErrFull if the cluster has no
// room left.
func explainCluster(doing string, err error) error {
	if err == nil {
		return nil
	}
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case 10002, // resource limits of the account are exceeded
			10023, // insufficient resources
			10047, // insufficient storage resources available
			10077: // the message could not be written
			return fmt.Errorf("%s in the NATS cluster: %w (%w)", doing, ErrFull, err)
		}
	}
	return fmt.Errorf("%s in the NATS cluster: %w", doing, err)
}
