package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"onthestack/internal/execution"
	"onthestack/runner/clients"
)

// MaxBody is the maximum size of a snippet in bytes.
const MaxBody = execution.MaxSource

// Errors of Put and Get. They are wrapped with details for the server's log.
var (
	ErrNotFound   = errors.New("snippet not found")
	ErrTooLarge   = errors.New("snippet is too large")
	ErrClientFull = errors.New("the client's part of the store of snippets is full")
)

// A TooFast is the error for a client that has stored too many new snippets within the last minute.
type TooFast struct {
	Limit int           // new snippets in a minute
	Wait  time.Duration // until the client may store the next
}

func (e *TooFast) Error() string {
	return fmt.Sprintf("the client stores more than %d new snippets in a minute", e.Limit)
}

// Limits are the limits of snippets. If there are more already, because the limits were others, they are kept.
type Limits struct {
	Count int64 // of snippets
	Bytes int64 // of all their bodies; the files take up to about twice that

	// The same for the snippets of one client; 0 is no limit except the store's. Snippets from versions that did not
	// record clients count for no client.
	ClientCount, ClientBytes int64
	// ClientRate is how many new snippets a client may store in a minute, also all at once; 0 is no limit.
	ClientRate int
	// Evict is the time since a snippet was last shared after which it may be removed if there is no room for a new
	// one. The oldest is removed first. 0 means that no snippet is ever removed.
	Evict time.Duration
}

const (
	// Each snippet is the only message of its subject. This is the stream of a bucket of keys and values, which earlier
	// versions made in a cluster.
	snippetStream  = "KV_snippets"
	snippetSubject = "$KV.snippets."
	// clientHeader is the header of a snippet with the mark of the client that stored it.
	clientHeader = "Client"
	// keyName is the name of the key of the marks in the stream's metadata.
	keyName = "onthestack-client-key"
	// entryBytes is the most that a snippet takes in the stream besides its body: subject, headers and checksum.
	entryBytes = 512
)

// Snippets are the programs that readers share. They are safe for concurrent use.
//
// A stored snippet survives a killed process and a loss of power. It is kept for good, unless Limits.Evict allows
// removing old ones. Package execution has the limit on the size of a program. In a cluster, the limits are on the
// snippets of all runners together, and each runner applies its own limits.
type Snippets struct {
	store   *Store
	stream  jetstream.Stream
	tally   *tally
	limits  Limits
	rates   *clients.Rates
	now     func() time.Time
	key     []byte // for the keyed hashes of clients; see mark
	evicted atomic.Int64

	// writing is held while a snippet is stored, so that the limits hold. It guards the fields below.
	writing *semaphore.Weighted
	known   map[string]entry // the stored snippets, by ID
	last    uint64           // number of the last message that was read
}

// An entry is what is known of a stored snippet without its body.
type entry struct {
	sequence uint64    // number of its message
	shared   time.Time // when it was last shared; may lag behind by renewal
	bytes    int64
	mark     [16]byte // of the client that stored it; zero for none
}

// Stats are the contents of a store.
type Stats struct {
	Count int64 // of snippets
	Bytes int64 // of all their bodies
}

// Snippets returns the snippets of the store.
func (s *Store) Snippets(ctx context.Context, limits Limits) (*Snippets, error) {
	p := &Snippets{store: s, limits: limits, rates: &clients.Rates{}, now: time.Now,
		writing: semaphore.NewWeighted(1), known: map[string]entry{}}
	if limits.ClientRate > 0 {
		p.rates.Interval, p.rates.Burst = time.Minute/time.Duration(limits.ClientRate), limits.ClientRate
	}
	err := s.create(ctx, p.create)
	if err == nil {
		err = p.read(ctx)
	}
	return p, err
}

// create creates the stream, or finds it.
func (s *Snippets) create(ctx context.Context) error {
	config := jetstream.StreamConfig{
		Name: snippetStream, Subjects: []string{snippetSubject + ">"}, Description: "programs that readers share",
		Storage: jetstream.FileStorage, Replicas: s.store.replicas, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
		MaxMsgSize: MaxBody + entryBytes, DenyDelete: true, AllowRollup: true,
		Metadata: map[string]string{keyName: base64.RawStdEncoding.EncodeToString([]byte(rand.Text()))},
	}
	if s.store.embedded == nil { // the embedded server bounds all that it keeps
		config.MaxBytes = s.limits.Bytes + entryBytes*s.limits.Count
	}
	found, err := s.store.js.Stream(ctx, snippetStream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
	case err != nil:
		return err
	case found.CachedInfo().Config.Metadata[keyName] != "":
		config.Metadata[keyName] = found.CachedInfo().Config.Metadata[keyName]
	}
	if s.stream, err = s.store.js.CreateOrUpdateStream(ctx, config); err != nil {
		return fmt.Errorf("create the stream %q on %d servers: %w", snippetStream, s.store.replicas, err)
	}
	info := s.stream.CachedInfo()
	if s.key, err = base64.RawStdEncoding.DecodeString(info.Config.Metadata[keyName]); err != nil {
		return fmt.Errorf("read the metadata %s of the stream %q: %w", keyName, snippetStream, err)
	}
	s.tally, err = s.store.openTally(snippetStream, info.State)
	return err
}

// read reads what was stored since it was last called, in a cluster also by others.
func (s *Snippets) read(ctx context.Context) (err error) {
	s.last, err = s.store.read(ctx, s.stream, s.last, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		size, err := strconv.ParseInt(m.Headers().Get(nats.MsgSize), 10, 64)
		if err != nil {
			return fmt.Errorf("message %d has no size: %w", meta.Sequence.Stream, err)
		}
		s.known[strings.TrimPrefix(m.Subject(), snippetSubject)] =
			entry{meta.Sequence.Stream, meta.Timestamp, size, markOf(m.Headers())}
		return nil
	})
	return err
}

// Evicted returns how many snippets were removed to make room since the store was opened.
func (s *Snippets) Evicted() int64 { return s.evicted.Load() }

// Put stores a snippet of a client, which is any text that identifies it, and returns the snippet's id once the snippet
// is on disk. Equal bodies have the same id, are stored once and count for the client that was first. The error is
// ErrTooLarge, a *TooFast, ErrClientFull, or ErrFull if the store has reached a limit or the disk is full. If
// ctx ends during Put, the snippet may or may not be stored.
func (s *Snippets) Put(ctx context.Context, client string, body []byte) (string, error) {
	if len(body) > MaxBody {
		return "", fmt.Errorf("%w: %d bytes, of at most %d", ErrTooLarge, len(body), MaxBody)
	}
	// A stored snippet is found even if nothing can be written, and without waiting for others.
	at, err := s.find(ctx, body)
	if err != nil {
		return "", err
	}
	if at.message != nil && !s.outdated(at) {
		return at.id, nil
	}
	undo := func() {}
	if at.message == nil {
		var wait time.Duration
		if wait, undo = s.rates.Take(client); wait > 0 {
			return "", &TooFast{s.limits.ClientRate, wait}
		}
	}
	if err := s.writing.Acquire(ctx, 1); err != nil {
		undo()
		return "", fmt.Errorf("wait to store a snippet: %w", err)
	}
	defer s.writing.Release(1)
	// Storing is not interrupted by ctx: it takes milliseconds.
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*timeout)
	defer cancel()
	id, added, err := s.write(storing, s.mark(client), body)
	if !added && err == nil {
		undo()
	}
	return id, err
}

// renewal is how inexact the time may be at which a snippet was last shared, so that not every Put writes to the disk.
const renewal = time.Hour

// outdated reports whether the time at which a snippet was last shared must be updated when it is shared again.
func (s *Snippets) outdated(at place) bool {
	return s.limits.Evict > 0 && s.now().Sub(at.message.Time) >= renewal
}

// mark returns a keyed hash that identifies the client in the store. It hides the client's address, except from
// somebody who has the store's files and tries all addresses.
func (s *Snippets) mark(client string) [16]byte {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(client))
	return [16]byte(h.Sum(nil))
}

// markOf returns the mark in the header of a snippet, which is zero in one from an earlier version.
func markOf(h nats.Header) (mark [16]byte) {
	text, _ := base64.RawURLEncoding.DecodeString(h.Get(clientHeader))
	copy(mark[:], text)
	return mark
}

// write stores a snippet, unless it was stored in the meantime. A snippet that is stored and outdated is stored again,
// as the youngest.
func (s *Snippets) write(ctx context.Context, mark [16]byte, body []byte) (id string, added bool, err error) {
	for {
		at, err := s.find(ctx, body)
		if err != nil || at.message != nil && !s.outdated(at) {
			return at.id, false, err
		}
		if err := s.read(ctx); err != nil {
			return "", false, fmt.Errorf("count the snippets: %w", err)
		}
		m := &nats.Msg{Subject: snippetSubject + at.id, Data: body, Header: nats.Header{}}
		var before uint64
		if at.message != nil {
			m.Header, before = at.message.Header, at.message.Sequence
		} else {
			m.Header.Set(clientHeader, base64.RawURLEncoding.EncodeToString(mark[:]))
			if err := s.makeRoom(ctx, mark, int64(len(body))); err != nil {
				return "", false, err
			}
		}
		// The limits hold in a cluster, too: if another runner has stored something since it was counted, the server
		// refuses the message.
		ack, err := s.store.publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(before),
			jetstream.WithExpectLastSequence(s.last), jetstream.WithExpectStream(snippetStream))
		switch {
		case isConflict(err):
			continue
		case errors.Is(err, ErrFull) && at.message != nil:
			return at.id, false, nil // it stays as old as it is
		case err != nil:
			return "", false, fmt.Errorf("store a snippet: %w", err)
		}
		s.last = ack.Sequence
		s.known[at.id] = entry{ack.Sequence, s.now(), int64(len(body)), markOf(m.Header)}
		if at.message != nil {
			return at.id, false, nil
		}
		return at.id, true, s.tally.add(ack.Sequence)
	}
}

// isConflict reports whether a message was refused because there is another one that was not expected.
func isConflict(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// makeRoom ensures that the client may store another snippet with so many bytes. If the client has reached its limits,
// it removes snippets of that client; if the store has, it then removes anybody's.
func (s *Snippets) makeRoom(ctx context.Context, mark [16]byte, bytes int64) error {
	l := s.limits
	var goes []string // nothing is removed before all of it makes room
	for _, part := range []struct {
		client bool // whether it is the client's part of the store
		limits Stats
		full   error
	}{
		{true, Stats{l.ClientCount, l.ClientBytes}, fmt.Errorf("%w: it has", ErrClientFull)},
		{false, Stats{l.Count, l.Bytes}, fmt.Errorf("%w: it holds", ErrFull)},
	} {
		var ids []string
		held := Stats{1, bytes} // with the new one
		for id, e := range s.known {
			if (!part.client || e.mark == mark) && !slices.Contains(goes, id) {
				ids, held.Count, held.Bytes = append(ids, id), held.Count+1, held.Bytes+e.bytes
			}
		}
		over := Stats{held.Count - part.limits.Count, held.Bytes - part.limits.Bytes}
		if part.client && part.limits.Count == 0 {
			over.Count = 0
		}
		if part.client && part.limits.Bytes == 0 {
			over.Bytes = 0
		}
		if over.Count <= 0 && over.Bytes <= 0 {
			continue
		}
		old := s.oldest(ids, over)
		if old == nil {
			return fmt.Errorf("%w %d snippets, of at most %d, with %d bytes, of at most %d", part.full, held.Count-1,
				part.limits.Count, held.Bytes-bytes, part.limits.Bytes)
		}
		goes = append(goes, old...)
	}
	if goes == nil {
		return nil
	}
	if err := s.remove(ctx, goes); err != nil {
		return fmt.Errorf("remove old snippets: %w", err)
	}
	return nil
}

// oldest returns the oldest of these snippets that may be evicted, as few as make the required room, or none if that is
// not enough.
func (s *Snippets) oldest(ids []string, over Stats) (old []string) {
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(s.known[a].sequence, s.known[b].sequence) })
	for _, id := range ids {
		e := s.known[id]
		if s.limits.Evict <= 0 || s.now().Sub(e.shared) < s.limits.Evict {
			return nil
		}
		old = append(old, id)
		over.Count--
		if over.Bytes -= e.bytes; over.Count <= 0 && over.Bytes <= 0 {
			return old
		}
	}
	return nil
}

// remove removes snippets. One that another runner has shared again or removed in the meantime, it only forgets.
func (s *Snippets) remove(ctx context.Context, ids []string) error {
	if err := s.tally.set(0); err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(snippetSubject+id),
			jetstream.WithPurgeSequence(s.known[id].sequence+1)); err != nil {
			return err
		}
		delete(s.known, id)
		s.evicted.Add(1)
	}
	return s.tally.set(uint64(len(s.known)))
}

// A place is where a body is stored, or would be stored.
type place struct {
	id      string
	message *jetstream.RawStreamMsg // nil if it is not stored
}

func (s *Snippets) find(ctx context.Context, body []byte) (place, error) {
	for _, id := range ids(body) {
		m, err := s.message(ctx, id)
		switch {
		case errors.Is(err, ErrNotFound):
			return place{id, nil}, nil
		case err != nil:
			return place{}, err
		case bytes.Equal(m.Data, body):
			return place{id, m}, nil
		}
	}
	return place{}, errors.New("all ids of this snippet belong to others")
}

// message returns the message with a snippet, or ErrNotFound.
func (s *Snippets) message(ctx context.Context, id string) (*jetstream.RawStreamMsg, error) {
	m, err := s.stream.GetLastMsgForSubject(ctx, snippetSubject+id)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("read the snippet %s: %w", id, err)
	}
	return m, nil
}

// Get returns the body of a snippet, or ErrNotFound. The id may be any string.
func (s *Snippets) Get(ctx context.Context, id string) ([]byte, error) {
	if !maybeID(id) {
		return nil, ErrNotFound
	}
	m, err := s.message(ctx, id)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ids(m.Data), id) {
		return nil, fmt.Errorf("the files are damaged, and the snippet %s is not what was stored: %s", id, restore)
	}
	return m.Data, nil
}

// Stats returns the current contents of the store.
func (s *Snippets) Stats(ctx context.Context) (held Stats, err error) {
	if err := s.writing.Acquire(ctx, 1); err != nil {
		return held, fmt.Errorf("count the snippets: %w", err)
	}
	defer s.writing.Release(1)
	if err := s.read(ctx); err != nil {
		return held, fmt.Errorf("count the snippets: %w", err)
	}
	for _, e := range s.known {
		held.Count++
		held.Bytes += e.bytes
	}
	return held, nil
}

// The salt and the lengths are the same at play.golang.org, so a program has the same id there and here.
const (
	idSalt   = "Go playground salt\n"
	idLength = 11 // minimum
)

const idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// ids returns the ids that a program may have, in the order in which they are tried: each is one character longer than
// the one before, in case another program has that already. None ends in an underscore, which programs that recognize
// links may cut off.
func ids(body []byte) []string {
	h := sha256.New()
	h.Write([]byte(idSalt))
	h.Write(body)
	hash := base64.RawURLEncoding.EncodeToString(h.Sum(nil))
	var all []string
	for n := idLength; n <= len(hash); n++ {
		if hash[n-1] != '_' {
			all = append(all, hash[:n])
		}
	}
	return all
}

// maybeID reports whether s has the form of an id.
func maybeID(s string) bool {
	return len(s) >= idLength && len(s) <= base64.RawURLEncoding.EncodedLen(sha256.Size) && s[len(s)-1] != '_' &&
		strings.Trim(s, idAlphabet) == ""
}
