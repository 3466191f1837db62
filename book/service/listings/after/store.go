package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ANCHOR: types
type parcel struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Town  string `json:"town"`
	Grams int    `json:"grams"`
	Note  string `json:"note,omitempty"`
}

type event struct {
	At     time.Time `json:"at"`
	Place  string    `json:"place"`
	Status string    `json:"status"`
}

func status(n int) string {
	names := [...]string{"accepted", "on its way", "at the depot", "delivered"}
	if n < 0 || n >= len(names) {
		return "status " + strconv.Itoa(n)
	}
	return names[n]
}

// ANCHOR_END: types

// A notFoundError is the error for a parcel that nobody has registered.
type notFoundError struct{ id string }

func (e *notFoundError) Error() string { return "no parcel " + e.id }

// ttl is how long the store knows a parcel without asking the database.
const ttl = 10 * time.Minute

type store struct {
	db    *sql.DB
	mu    sync.Mutex
	cache map[string]cached
}

type cached struct {
	parcel parcel
	until  time.Time
}

func newStore(db *sql.DB) *store { return &store{db: db, cache: map[string]cached{}} }

// ANCHOR: cache
func (s *store) parcel(ctx context.Context, id string) (parcel, error) {
	id = strings.ToUpper(id) // which is id itself if it has no small letters
	s.mu.Lock()
	c, ok := s.cache[id]
	s.mu.Unlock()
	if ok && time.Now().Before(c.until) {
		return c.parcel, nil
	}
	var note sql.NullString
	err := s.db.QueryRowContext(ctx, selectParcel, id).Scan(&c.parcel.ID, &c.parcel.Name,
		&c.parcel.Town, &c.parcel.Grams, &note)
	if errors.Is(err, sql.ErrNoRows) {
		return parcel{}, &notFoundError{id}
	}
	if err != nil {
		return parcel{}, err
	}
	c.parcel.Note = note.String
	c.until = time.Now().Add(ttl)
	s.mu.Lock()
	s.cache[c.parcel.ID] = c
	s.mu.Unlock()
	return c.parcel, nil
}

// ANCHOR_END: cache

func (s *store) insert(ctx context.Context, p parcel) error {
	note := sql.NullString{String: p.Note, Valid: p.Note != ""}
	_, err := s.db.ExecContext(ctx, insertParcel, p.ID, p.Name, p.Town, p.Grams, note)
	s.mu.Lock()
	delete(s.cache, p.ID)
	s.mu.Unlock()
	return err
}

// ANCHOR: events
func (s *store) events(ctx context.Context, id string) ([]event, error) {
	rows, err := s.db.QueryContext(ctx, selectEvents, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var e event
	var number int64
	columns := []any{&e.At, &e.Place, &number}
	events := make([]event, 0, 8)
	for rows.Next() {
		if err := rows.Scan(columns...); err != nil {
			return nil, err
		}
		e.Status = status(int(number))
		events = append(events, e)
	}
	return events, rows.Err()
}

// ANCHOR_END: events

// ANCHOR: search
// search returns the first parcels to a town that match all words of a query,
// and how many do. A word is a part of the name, in letters of any case, or a
// weight, "grams>500".
func (s *store) search(ctx context.Context, town, query string, limit int) ([]result, int, error) {
	rows, err := s.db.QueryContext(ctx, selectTown, town)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	words := []byte(query)
	total, results := 0, make([]result, 0, min(limit, 50))
	var id, name, to, note sql.RawBytes
	var grams int64
	columns := []any{&id, &name, &to, &grams, &note}
	for rows.Next() {
		if err := rows.Scan(columns...); err != nil {
			return nil, 0, err
		}
		if !matches(name, int(grams), words) {
			continue
		}
		total++
		if len(results) < limit {
			self := "/parcels/" + string(id)
			results = append(results, result{self[len("/parcels/"):], string(name), int(grams), self})
		}
	}
	return results, total, rows.Err()
}

// matches reports whether a parcel matches a query.
func matches(name []byte, grams int, query []byte) bool {
	for word := range bytes.SplitSeq(query, []byte(" ")) {
		word = bytes.TrimSpace(word)
		if limit, more, ok := weight(word); ok {
			if more && grams <= limit || !more && grams >= limit {
				return false
			}
		} else if !containsFold(name, word) {
			return false
		}
	}
	return true
}

// weight returns the limit in a word such as "grams>500", and whether the
// weight has to be more.
func weight(word []byte) (limit int, more, ok bool) {
	const unit = "grams"
	if len(word) < len(unit)+2 || !bytes.EqualFold(word[:len(unit)], []byte(unit)) {
		return 0, false, false
	}
	sign, digits := word[len(unit)], word[len(unit)+1:]
	if sign != '<' && sign != '>' || digits[0] < '0' || digits[0] > '9' {
		return 0, false, false
	}
	limit, err := strconv.Atoi(string(digits))
	return limit, sign == '>', err == nil
}

// containsFold reports whether a name contains a word, in letters of any case.
func containsFold(name, word []byte) bool {
	for i := 0; i+len(word) <= len(name); i++ {
		if bytes.EqualFold(name[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// ANCHOR_END: search
