package snippets

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	busyTime = 5 * time.Second // how long to wait while another process writes
	readers  = 4               // connections, each with a cache of up to 2 MB
)

// Open opens the file of a store, or creates it and its folder, so that only the current user can read it. An error
// says what the user can do about it.
func Open(ctx context.Context, file string, limits Limits) (*Store, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("open the store of snippets: %w", err)
	}
	if err := create(file); err != nil {
		return nil, fmt.Errorf("open the store of snippets: %w: name a file in a folder that the runner may write to",
			err)
	}
	s := &Store{file: file, limits: limits, now: time.Now, rates: newRates(limits.ClientRate, time.Now)}
	if s.writer, err = connect(file, 1, url.Values{"_txlock": {"immediate"}}); err == nil {
		s.readers, err = connect(file, readers, url.Values{"_query_only": {"1"}})
	}
	if err != nil {
		return nil, s.explain("open the store", err)
	}
	if err := s.prepare(ctx); err != nil {
		s.writer.Close()
		s.readers.Close()
		return nil, s.explain("open the store", err)
	}
	return s, nil
}

// create creates the file if it does not exist.
func create(file string) error {
	if info, err := os.Stat(file); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", file)
		}
		// The file must not be opened here: closing it would release all locks that this process has on it, including
		// SQLite's.
		return nil
	}
	if err := makeFolder(filepath.Dir(file)); err != nil {
		return err
	}
	// The umask decides who may read a file that SQLite creates. The write-ahead log gets the permissions of this file.
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// makeFolder creates a folder and its parents, and syncs each parent, so that a loss of power does not lose the new
// names.
func makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above == dir {
		return &fs.PathError{Op: "stat", Path: dir, Err: fs.ErrNotExist}
	}
	if err := makeFolder(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.Open(above)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// connect returns a pool of up to n connections. It opens none of them.
func connect(file string, n int, options url.Values) (*sql.DB, error) {
	options.Set("_busy_timeout", fmt.Sprint(busyTime.Milliseconds()))
	// Each commit waits until the log is on disk. With SQLite's next lower setting a loss of power would lose the
	// latest commits.
	options.Set("_synchronous", "FULL")
	options.Set("_defensive", "1")
	options.Set("_dqs", "0")
	options.Set("_error_rc", "1")
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: options.Encode()}
	connector, err := sqlite.NewConnector(address.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// applicationID is in the header of each file of this package: "OTSS".
const applicationID = 0x4f545353

// migrations[n] turns a file of version n into one of version n+1. Version 0 is an empty file.
var migrations = []string{
	`CREATE TABLE snippet (
		id     TEXT PRIMARY KEY,
		body   BLOB NOT NULL,
		stored INTEGER NOT NULL -- Unix time in seconds
	) STRICT;
	-- Its one row is updated with every change, because counting the rows of snippet would read the whole table.
	CREATE TABLE total (
		one   INTEGER PRIMARY KEY CHECK (one = 1),
		count INTEGER NOT NULL,
		bytes INTEGER NOT NULL
	) STRICT;
	INSERT INTO total VALUES (1, 0, 0);`,

	// From this version on, the column stored is the time at which the snippet was last shared.
	`ALTER TABLE snippet ADD COLUMN client BLOB; -- a mark of the client that stored it; NULL for none
	CREATE INDEX snippet_by_age ON snippet (stored);
	CREATE INDEX snippet_by_client ON snippet (client, stored) WHERE client IS NOT NULL;
	-- What each client has in the store, updated with every change.
	CREATE TABLE client (
		mark  BLOB PRIMARY KEY,
		count INTEGER NOT NULL,
		bytes INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	-- The key of the marks, which is drawn once.
	CREATE TABLE secret (
		one INTEGER PRIMARY KEY CHECK (one = 1),
		key BLOB NOT NULL
	) STRICT;
	INSERT INTO secret VALUES (1, randomblob(32));`,
}

// prepare migrates the file to the newest version and reads the key.
func (s *Store) prepare(ctx context.Context) error {
	// There are locks for which SQLite does not wait, and processes that start at the same time can meet them.
	deadline := time.Now().Add(busyTime)
	for {
		err := s.tryPrepare(ctx)
		if code(err) != sqlite3.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tryPrepare is prepare without waiting.
func (s *Store) tryPrepare(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	// The mode is changed only now, when the file is known to be a store of snippets. With a log, readers do not wait
	// for the writer.
	var mode string
	if err := s.writer.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("%s is on a file system that does not support SQLite's write-ahead log: name a file on a "+
			"local disk", s.file)
	}
	return s.writer.QueryRowContext(ctx, `SELECT key FROM secret`).Scan(&s.key)
}

// migrate applies the migrations that the file lacks. It refuses files of other programs and of newer versions.
func (s *Store) migrate(ctx context.Context) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var application, tables int64
	var version int
	err = tx.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`).Scan(&application, &version, &tables)
	switch {
	case err != nil:
		return err
	case application != applicationID && (application != 0 || version != 0 || tables != 0):
		return fmt.Errorf("%s is the database of another program: name another file", s.file)
	case version > len(migrations):
		return fmt.Errorf("%s has version %d, and this runner knows versions up to %d: a newer runner wrote "+
			"it, so use that one",
			s.file, version, len(migrations))
	case version == len(migrations):
		return nil
	}
	for _, statements := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, statements); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, applicationID,
		len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}

// code returns SQLite's primary result code of an error, or 0 if it is not an error of SQLite.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// explain adds to an error what the owner of the server can do about it.
func (s *Store) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	advice := ""
	switch code(err) {
	case sqlite3.SQLITE_NOTADB:
		advice = "it is not an SQLite database: name another file"
	case sqlite3.SQLITE_CORRUPT:
		advice = "the file is damaged: put a copy of it in its place, or move it away"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		advice = "the runner must be allowed to write to the file and to make files beside it"
	case sqlite3.SQLITE_BUSY:
		advice = fmt.Sprintf("another program has held it for more than %v", busyTime)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s, %s: %w: its disk is full (%w)", doing, s.file, ErrFull, err)
	case sqlite3.SQLITE_IOERR:
		advice = "its disk is full or failing"
	default:
		return fmt.Errorf("%s, %s: %w", doing, s.file, err)
	}
	return fmt.Errorf("%s, %s: %s (%w)", doing, s.file, advice, err)
}
