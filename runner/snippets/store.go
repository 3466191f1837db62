// Package snippets keeps the programs that readers share, in an SQLite file. Runners that use the same NATS
// cluster also store the snippets there, so that each runner serves what another has stored.
//
// A stored snippet survives a killed process and a loss of power. It is kept for good, unless Limits.Evict allows
// removing old ones. Package execution has the limit on the size of a program.
package snippets

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"onthestack/internal/execution"
)

// MaxBody is the maximum size of a snippet in bytes.
const MaxBody = execution.MaxSource

// Errors of Put and Get. They are wrapped with details for the server's log.
var (
	ErrNotFound   = errors.New("snippet not found")
	ErrTooLarge   = errors.New("snippet is too large")
	ErrFull       = errors.New("the store of snippets is full")
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

// Limits are the limits of a store. A store that already has more, because it had other limits, keeps that.
type Limits struct {
	Count int64 // of snippets
	Bytes int64 // of all their bodies; the file takes up to about twice that

	// The same for the snippets of one client; 0 is no limit except the store's. Snippets from versions that did not
	// record clients count for no client.
	ClientCount, ClientBytes int64
	// ClientRate is how many new snippets a client may store in a minute, also all at once; 0 is no limit.
	ClientRate int
	// Evict is the time since a snippet was last shared after which it may be removed if there is no room for a new
	// one. The oldest is removed first. 0 means that no snippet is ever removed.
	Evict time.Duration
}

// A Store is an open file of snippets. It is safe for concurrent use, and several processes may open the same file.
type Store struct {
	file    string
	limits  Limits
	rates   *rates
	now     func() time.Time
	key     []byte // for the keyed hashes of clients; see mark
	evicted atomic.Int64
	// SQLite lets one connection write at a time, and connections that wait sleep and try again. Within this process,
	// writers wait for the only connection of this pool instead.
	writer  *sql.DB
	readers *sql.DB
	cluster *cluster // nil before Join
}

// Stats are the contents of a store.
type Stats struct {
	Count int64 // of snippets
	Bytes int64 // of all their bodies
}

// Evicted returns how many snippets were removed to make room since the store was opened.
func (s *Store) Evicted() int64 { return s.evicted.Load() }

// Put stores a snippet of a client, which is any text that identifies it, and returns the snippet's id once the snippet
// is on disk, and in the cluster after Join. Equal bodies have the same id, are stored once and count for the client
// that was first. The error is ErrTooLarge, a *TooFast, ErrClientFull, or ErrFull if the store has reached a limit or
// the disk is full. If ctx ends during Put, the snippet may or may not be stored.
func (s *Store) Put(ctx context.Context, client string, body []byte) (string, error) {
	id, err := s.putFile(ctx, client, body)
	if err == nil && s.cluster != nil {
		err = s.cluster.put(ctx, id, body, s.limits.Evict > 0)
	}
	if err != nil {
		return "", err
	}
	return id, nil
}

// putFile is Put without the cluster.
func (s *Store) putFile(ctx context.Context, client string, body []byte) (string, error) {
	if len(body) > MaxBody {
		return "", fmt.Errorf("%w: %d bytes, of at most %d", ErrTooLarge, len(body), MaxBody)
	}
	if body == nil {
		body = []byte{} // nil would become NULL
	}
	// A stored snippet is found even if the file cannot be written, and without waiting for the writer.
	at, err := find(ctx, s.readers, body)
	if err != nil {
		return "", s.explain("look up a snippet", err)
	}
	if at.stored && !s.outdated(at) {
		return at.id, nil
	}
	undo := func() {}
	if !at.stored {
		var wait time.Duration
		if wait, undo = s.rates.take(client); wait > 0 {
			return "", &TooFast{s.limits.ClientRate, wait}
		}
	}
	writer, err := s.writer.Conn(ctx)
	if err != nil {
		undo()
		return "", s.explain("wait to store a snippet", err)
	}
	defer writer.Close()
	// The insertion is not interrupted: it takes milliseconds, and at most busyTime.
	id, added, err := s.insert(context.WithoutCancel(ctx), writer, s.mark(client), body)
	if !added && err == nil {
		undo()
	}
	return id, s.explain("store a snippet", err)
}

// renewal is how inexact the stored time may be at which a snippet was last shared, so that not every Put writes to the
// disk.
const renewal = time.Hour

// outdated reports whether the time at which a snippet was last shared must be updated when it is shared again.
func (s *Store) outdated(at row) bool {
	return s.limits.Evict > 0 && s.now().Sub(time.Unix(at.shared, 0)) >= renewal
}

// mark returns a keyed hash that identifies the client in the file. It hides the client's address, except from somebody
// who has the file and tries all addresses.
func (s *Store) mark(client string) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(client))
	return h.Sum(nil)[:16]
}

// insert stores a snippet, unless it was stored in the meantime.
func (s *Store) insert(ctx context.Context, writer *sql.Conn, mark, body []byte) (id string, added bool, err error) {
	tx, err := writer.BeginTx(ctx, nil)
	if err != nil {
		return "", false, err
	}
	defer tx.Rollback()
	at, err := find(ctx, tx, body)
	if err != nil {
		return "", false, err
	}
	now := s.now().Unix()
	if at.stored {
		if !s.outdated(at) {
			return at.id, false, nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE snippet SET stored = ? WHERE id = ?`, now, at.id); err != nil {
			return "", false, err
		}
		return at.id, false, tx.Commit()
	}
	evicted, err := s.makeRoom(ctx, tx, mark, int64(len(body)))
	if err != nil {
		return "", false, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO snippet (id, body, stored, client) VALUES (?, ?, ?, ?)`, at.id, body,
		now, mark); err != nil {
		return "", false, err
	}
	if err := count(ctx, tx, mark, 1, int64(len(body))); err != nil {
		return "", false, err
	}
	if err := tx.Commit(); err != nil {
		return "", false, err
	}
	s.evicted.Add(evicted)
	return at.id, true, nil
}

// makeRoom ensures that the client may store another snippet with so many bytes, and returns how many snippets it
// removed for that. If the client has reached its limits, it removes snippets of that client; if the store has, it then
// removes anybody's.
func (s *Store) makeRoom(ctx context.Context, tx *sql.Tx, mark []byte, bytes int64) (evicted int64, err error) {
	l := s.limits
	own, err := clientStats(ctx, tx, mark)
	if err != nil {
		return 0, err
	}
	most := Stats{l.ClientCount, l.ClientBytes}
	if over := own.over(most, bytes); over != (Stats{}) {
		n, made, err := s.evict(ctx, tx, over, `client = ?2`, mark)
		if err != nil {
			return 0, err
		}
		if !made {
			return 0, fmt.Errorf("%w: it has %s", ErrClientFull, own.of(most))
		}
		evicted += n
	}
	held, err := stats(ctx, tx)
	if err != nil {
		return 0, err
	}
	most = Stats{l.Count, l.Bytes}
	if held.Count < most.Count && held.Bytes+bytes <= most.Bytes {
		return evicted, nil
	}
	over := Stats{max(0, held.Count+1-most.Count), max(0, held.Bytes+bytes-most.Bytes)}
	n, made, err := s.evict(ctx, tx, over, `?2 IS NULL`, nil)
	if err != nil {
		return 0, err
	}
	if !made {
		return 0, fmt.Errorf("%w: it holds %s", ErrFull, held.of(most))
	}
	return evicted + n, nil
}

// over returns by how much the held snippets and one more with so many bytes exceed the limits; a limit of 0 is none.
func (held Stats) over(most Stats, bytes int64) (over Stats) {
	if most.Count > 0 {
		over.Count = max(0, held.Count+1-most.Count)
	}
	if most.Bytes > 0 {
		over.Bytes = max(0, held.Bytes+bytes-most.Bytes)
	}
	return over
}

// of describes the held snippets and their limits.
func (held Stats) of(most Stats) string {
	return fmt.Sprintf("%d snippets, of at most %d, with %d bytes, of at most %d", held.Count, most.Count,
		held.Bytes, most.Bytes)
}

// evict removes the oldest snippets that meet the condition, as few as make the required room. If not enough of them
// are old enough, it removes nothing and made is false.
func (s *Store) evict(
	ctx context.Context,
	tx *sql.Tx,
	over Stats,
	which string,
	mark []byte,
) (evicted int64, made bool, err error) {
	if s.limits.Evict <= 0 {
		return 0, false, nil
	}
	type old struct {
		id    string
		bytes int64
		mark  []byte
	}
	var goes []old
	rows, err := tx.QueryContext(ctx, oldest(which), s.now().Add(-s.limits.Evict).Unix(), mark)
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	for (over.Count > 0 || over.Bytes > 0) && rows.Next() {
		var o old
		if err := rows.Scan(&o.id, &o.bytes, &o.mark); err != nil {
			return 0, false, err
		}
		goes = append(goes, o)
		over.Count--
		over.Bytes -= o.bytes
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, false, err
	}
	if over.Count > 0 || over.Bytes > 0 {
		return 0, false, nil
	}
	for _, o := range goes {
		if _, err := tx.ExecContext(ctx, `DELETE FROM snippet WHERE id = ?`, o.id); err != nil {
			return 0, false, err
		}
		if err := count(ctx, tx, o.mark, -1, -o.bytes); err != nil {
			return 0, false, err
		}
	}
	return int64(len(goes)), true, nil
}

// oldest returns the snippets that meet the condition and were not shared since the given time, the oldest first.
func oldest(which string) string {
	return `SELECT id, length(body), client FROM snippet WHERE stored <= ?1 AND ` + which + ` ORDER BY stored`
}

// count adds to the counts of snippets and bytes, or subtracts from them, for the store and for the client with the
// given mark. A nil mark is no client.
func count(ctx context.Context, tx *sql.Tx, mark []byte, n, bytes int64) error {
	if _, err := tx.ExecContext(ctx, `UPDATE total SET count = count + ?, bytes = bytes + ?`, n, bytes); err != nil ||
		mark == nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO client (mark, count, bytes) VALUES (?, ?, ?)
		ON CONFLICT (mark) DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes`,
		mark, n, bytes)
	if err != nil || n > 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM client WHERE mark = ? AND count <= 0`, mark)
	return err
}

// A querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A row is the row of table snippet in which a body is stored, or would be stored.
type row struct {
	id     string
	stored bool
	shared int64 // Unix time at which it was last shared; may lag behind by renewal
}

// find returns the row of a body.
func find(ctx context.Context, q querier, body []byte) (row, error) {
	for _, id := range ids(body) {
		at := row{id: id}
		err := q.QueryRowContext(ctx, `SELECT body = ?, stored FROM snippet WHERE id = ?`, body,
			id).Scan(&at.stored, &at.shared)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return at, nil
		case err != nil:
			return row{}, err
		case at.stored:
			return at, nil
		}
	}
	return row{}, errors.New("all ids of this snippet belong to others")
}

// Get returns the body of a snippet, or ErrNotFound. The id may be any string.
func (s *Store) Get(ctx context.Context, id string) ([]byte, error) {
	if !maybeID(id) {
		return nil, ErrNotFound
	}
	var body []byte
	err := s.readers.QueryRowContext(ctx, `SELECT body FROM snippet WHERE id = ?`, id).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		if s.cluster != nil {
			return s.cluster.get(ctx, id)
		}
		return nil, ErrNotFound
	}
	return body, s.explain("read a snippet", err)
}

// Stats returns the current contents of the store.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	held, err := stats(ctx, s.readers)
	return held, s.explain("count the snippets", err)
}

func stats(ctx context.Context, q querier) (Stats, error) {
	var held Stats
	err := q.QueryRowContext(ctx, `SELECT count, bytes FROM total`).Scan(&held.Count, &held.Bytes)
	return held, err
}

// clientStats returns what a client has in the store.
func clientStats(ctx context.Context, q querier, mark []byte) (Stats, error) {
	var held Stats
	err := q.QueryRowContext(ctx, `SELECT count, bytes FROM client WHERE mark = ?`, mark).Scan(&held.Count, &held.Bytes)
	if errors.Is(err, sql.ErrNoRows) {
		return Stats{}, nil
	}
	return held, err
}

// Close moves the contents of the write-ahead log into the file and closes the store. The log remains if another
// process has the file open.
func (s *Store) Close() error {
	// Closing the last connection checkpoints the log too, but does not report an error.
	err := s.readers.Close()
	_, checkpoint := s.writer.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return s.explain("close the store", errors.Join(err, checkpoint, s.writer.Close()))
}
