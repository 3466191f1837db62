// Package snippets keeps the programs that readers share, in an SQLite file.
//
// A snippet that was stored stays: it outlives a killed process and a loss of power, and nothing here deletes one.
package snippets

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// MaxBody is how large a snippet may be, in bytes.
const MaxBody = 64 << 10

// What Put and Get return, wrapped with details that are for the server's log.
var (
	ErrNotFound = errors.New("snippet not found")
	ErrTooLarge = errors.New("snippet is too large")
	ErrFull     = errors.New("the store of snippets is full")
)

// Limits bound what a store takes in. A store that holds more already, under other limits, keeps it.
type Limits struct {
	Count int64 // of snippets
	Bytes int64 // of all their bodies; the file takes up to about twice that
}

// A Store is an open file of snippets. Goroutines may share it, and processes the file.
type Store struct {
	file   string
	limits Limits
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

// Put stores a snippet and returns its id once it is on disk. The same body has the same id every time. The error is ErrTooLarge
// or, where a limit is reached or the disk is full, ErrFull. When ctx ends while Put works, the snippet may be stored or not.
func (s *Store) Put(ctx context.Context, body []byte) (string, error) {
	if len(body) > MaxBody {
		return "", fmt.Errorf("%w: %d bytes, of at most %d", ErrTooLarge, len(body), MaxBody)
	}
	if body == nil {
		body = []byte{} // nil would be SQL's NULL
	}
	// What is stored already can be had where nothing can be written, and without waiting for the writer.
	id, stored, err := place(ctx, s.readers, body)
	if err != nil || stored {
		return id, s.explain("look up a snippet", err)
	}
	writer, err := s.writer.Conn(ctx)
	if err != nil {
		return "", s.explain("wait to store a snippet", err)
	}
	defer writer.Close()
	// Not interrupted from here on: this takes milliseconds, and at most busyTime.
	id, err = s.insert(context.WithoutCancel(ctx), writer, body)
	return id, s.explain("store a snippet", err)
}

func (s *Store) insert(ctx context.Context, writer *sql.Conn, body []byte) (string, error) {
	tx, err := writer.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	// Somebody else may have stored it meanwhile.
	id, stored, err := place(ctx, tx, body)
	if err != nil || stored {
		return id, err
	}
	added, err := tx.ExecContext(ctx, `UPDATE total SET count = count + 1, bytes = bytes + ?1 WHERE count < ?2 AND bytes + ?1 <= ?3`,
		len(body), s.limits.Count, s.limits.Bytes)
	if err != nil {
		return "", err
	}
	if n, err := added.RowsAffected(); err != nil {
		return "", err
	} else if n == 0 {
		return "", s.full(ctx, tx)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO snippet (id, body, stored) VALUES (?, ?, ?)`, id, body, time.Now().Unix()); err != nil {
		return "", err
	}
	if err := tx.Commit(); err != nil {
		return "", err
	}
	return id, nil
}

// full says which limit is reached.
func (s *Store) full(ctx context.Context, q querier) error {
	held, err := stats(ctx, q)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: it holds %d snippets, of at most %d, with %d bytes, of at most %d",
		ErrFull, held.Count, s.limits.Count, held.Bytes, s.limits.Bytes)
}

// A querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// place returns the id under which the body is stored or, where it is not, is to be stored.
func place(ctx context.Context, q querier, body []byte) (id string, stored bool, err error) {
	for _, id := range ids(body) {
		var same bool
		err := q.QueryRowContext(ctx, `SELECT body = ? FROM snippet WHERE id = ?`, body, id).Scan(&same)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return id, false, nil
		case err != nil:
			return "", false, err
		case same:
			return id, true, nil
		}
	}
	return "", false, errors.New("all ids of this snippet belong to others")
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

// Close moves what the write-ahead log holds into the file, and closes it. Where another process has the file open, the log stays.
func (s *Store) Close() error {
	// Closing the last connection does it too, but would not tell of an error.
	err := s.readers.Close()
	_, checkpoint := s.writer.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return s.explain("close the store", errors.Join(err, checkpoint, s.writer.Close()))
}
