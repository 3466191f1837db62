// Package snippets keeps the programs that readers share, in an SQLite file.
//
// A snippet that was stored outlives a killed process and a loss of power. It stays, unless Limits allow that old ones make room.
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
)

// MaxBody is how large a snippet may be, in bytes.
const MaxBody = 64 << 10

// What Put and Get return, wrapped with details that are for the server's log.
var (
	ErrNotFound   = errors.New("snippet not found")
	ErrTooLarge   = errors.New("snippet is too large")
	ErrFull       = errors.New("the store of snippets is full")
	ErrClientFull = errors.New("the client's part of the store of snippets is full")
)

// A TooFast is the error for a client that has stored too many new snippets of late.
type TooFast struct {
	Limit int           // new ones in a minute
	Wait  time.Duration // until the next may be stored
}

func (e *TooFast) Error() string {
	return fmt.Sprintf("the client stores more than %d new snippets in a minute", e.Limit)
}

// Limits bound what a store takes in. A store that holds more already, under other limits, keeps it.
type Limits struct {
	Count int64 // of snippets
	Bytes int64 // of all their bodies; the file takes up to about twice that

	// The same for the snippets of one client; 0 is no bound but that of the store. Those that are in a file from before clients
	// were told apart count for none.
	ClientCount, ClientBytes int64
	// ClientRate is how many new snippets a client may store in a minute, and at once; 0 is no bound.
	ClientRate int
	// Evict is how long ago a snippet must have been shared last that may go where there is no room for a new one, the oldest
	// first; 0 keeps all.
	Evict time.Duration
}

// A Store is an open file of snippets. Goroutines may share it, and processes the file.
type Store struct {
	file    string
	limits  Limits
	rates   *rates
	now     func() time.Time
	key     []byte // of the marks that stand for clients
	evicted atomic.Int64
	// SQLite lets one connection write at a time, and those that wait sleep and try again: within this process they wait for the
	// pool's one connection instead.
	writer  *sql.DB
	readers *sql.DB
}

// Stats tell what a store holds.
type Stats struct {
	Count int64 // of snippets
	Bytes int64 // of all their bodies
}

// Evicted is how many snippets made room for others since the store was opened.
func (s *Store) Evicted() int64 { return s.evicted.Load() }

// Put stores a snippet of a client, which is any text that tells it from others, and returns the snippet's id once it is on disk.
// The same body has the same id every time, and counts once, for the client that was first. The error is ErrTooLarge, a *TooFast,
// ErrClientFull or, where a limit of the store is reached or the disk is full, ErrFull. When ctx ends while Put works, the snippet
// may be stored or not.
func (s *Store) Put(ctx context.Context, client string, body []byte) (string, error) {
	if len(body) > MaxBody {
		return "", fmt.Errorf("%w: %d bytes, of at most %d", ErrTooLarge, len(body), MaxBody)
	}
	if body == nil {
		body = []byte{} // nil would be SQL's NULL
	}
	// What is stored already can be had where nothing can be written, and without waiting for the writer.
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
	// Not interrupted from here on: this takes milliseconds, and at most busyTime.
	id, added, err := s.insert(context.WithoutCancel(ctx), writer, s.mark(client), body)
	if !added && err == nil {
		undo()
	}
	return id, s.explain("store a snippet", err)
}

// renewal is how old the note of when a snippet was shared last may be.
const renewal = time.Hour

// outdated reports whether a snippet that is shared again is to be noted as shared now. It may go by its age alone.
func (s *Store) outdated(at place) bool {
	return s.limits.Evict > 0 && s.now().Sub(time.Unix(at.shared, 0)) >= renewal
}

// mark stands for a client in the file. It is not the client's address, though whoever has the file can try all addresses.
func (s *Store) mark(client string) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(client))
	return h.Sum(nil)[:16]
}

// insert stores a snippet, where nobody has stored it meanwhile.
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
	if _, err := tx.ExecContext(ctx, `INSERT INTO snippet (id, body, stored, client) VALUES (?, ?, ?, ?)`, at.id, body, now, mark); err != nil {
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

// makeRoom makes sure that the client may store so many bytes more, and returns how many snippets it removed for that: first the
// client's own, where it has reached its limits, then anybody's.
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

// over is what is too much where a snippet of so many bytes comes to what is held; a limit of 0 is none.
func (held Stats) over(most Stats, bytes int64) (over Stats) {
	if most.Count > 0 {
		over.Count = max(0, held.Count+1-most.Count)
	}
	if most.Bytes > 0 {
		over.Bytes = max(0, held.Bytes+bytes-most.Bytes)
	}
	return over
}

// of says what is held, of how much.
func (held Stats) of(most Stats) string {
	return fmt.Sprintf("%d snippets, of at most %d, with %d bytes, of at most %d", held.Count, most.Count, held.Bytes, most.Bytes)
}

// evict removes the oldest snippets of those that the condition chooses, as few as make so much room; made is false where there
// are not enough that are old enough, and nothing is removed.
func (s *Store) evict(ctx context.Context, tx *sql.Tx, over Stats, which string, mark []byte) (evicted int64, made bool, err error) {
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

// oldest finds the snippets of those that the condition chooses which were not shared since a time, the oldest first.
func oldest(which string) string {
	return `SELECT id, length(body), client FROM snippet WHERE stored <= ?1 AND ` + which + ` ORDER BY stored`
}

// count notes that so many snippets with so many bytes came, or went, which were a client's or, where mark is nil, nobody's.
func count(ctx context.Context, tx *sql.Tx, mark []byte, n, bytes int64) error {
	if _, err := tx.ExecContext(ctx, `UPDATE total SET count = count + ?, bytes = bytes + ?`, n, bytes); err != nil || mark == nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO client (mark, count, bytes) VALUES (?, ?, ?)
		ON CONFLICT (mark) DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes`, mark, n, bytes)
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

// A place is where a body is stored or, where it is not, is to be stored.
type place struct {
	id     string
	stored bool
	shared int64 // when it was shared last, about, in seconds since 1970
}

// find finds the body's place.
func find(ctx context.Context, q querier, body []byte) (place, error) {
	for _, id := range ids(body) {
		at := place{id: id}
		err := q.QueryRowContext(ctx, `SELECT body = ?, stored FROM snippet WHERE id = ?`, body, id).Scan(&at.stored, &at.shared)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return at, nil
		case err != nil:
			return place{}, err
		case at.stored:
			return at, nil
		}
	}
	return place{}, errors.New("all ids of this snippet belong to others")
}

// Get returns the body of a snippet, or ErrNotFound. Any string may be asked for.
func (s *Store) Get(ctx context.Context, id string) ([]byte, error) {
	if !maybeID(id) {
		return nil, ErrNotFound
	}
	var body []byte
	err := s.readers.QueryRowContext(ctx, `SELECT body FROM snippet WHERE id = ?`, id).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	return body, s.explain("read a snippet", err)
}

// Stats tells what the store holds.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	held, err := stats(ctx, s.readers)
	return held, s.explain("count the snippets", err)
}

func stats(ctx context.Context, q querier) (Stats, error) {
	var held Stats
	err := q.QueryRowContext(ctx, `SELECT count, bytes FROM total`).Scan(&held.Count, &held.Bytes)
	return held, err
}

// clientStats tell what a client has in the store.
func clientStats(ctx context.Context, q querier, mark []byte) (Stats, error) {
	var held Stats
	err := q.QueryRowContext(ctx, `SELECT count, bytes FROM client WHERE mark = ?`, mark).Scan(&held.Count, &held.Bytes)
	if errors.Is(err, sql.ErrNoRows) {
		return Stats{}, nil
	}
	return held, err
}

// Close moves what the write-ahead log holds into the file, and closes it. Where another process has the file open, the log stays.
func (s *Store) Close() error {
	// Closing the last connection does it too, but would not tell of an error.
	err := s.readers.Close()
	_, checkpoint := s.writer.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return s.explain("close the store", errors.Join(err, checkpoint, s.writer.Close()))
}
