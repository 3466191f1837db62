package main

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ANCHOR: types
type parcel struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Town  string  `json:"town"`
	Grams int     `json:"grams"`
	Note  *string `json:"note,omitempty"`
}

type event struct {
	At     time.Time `json:"at"`
	Place  string    `json:"place"`
	Status status    `json:"status"`
}

type status int

func (s status) MarshalJSON() ([]byte, error) {
	names := []string{"accepted", "on its way", "at the depot", "delivered"}
	if s < 0 || int(s) >= len(names) {
		return nil, fmt.Errorf("status %d", int(s))
	}
	return []byte(strconv.Quote(names[s])), nil
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
	cache map[string]*cached
}

type cached struct {
	parcel *parcel
	until  time.Time
}

func newStore(db *sql.DB) *store { return &store{db: db, cache: map[string]*cached{}} }

// ANCHOR: cache
func (s *store) parcel(ctx context.Context, id string) (*parcel, error) {
	key := fmt.Sprintf("parcel:%s", strings.ToUpper(id))
	s.mu.Lock()
	c := s.cache[key]
	s.mu.Unlock()
	if c != nil && time.Now().Before(c.until) {
		return c.parcel, nil
	}
	rows, err := s.query(ctx, selectParcel, strings.ToUpper(id))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, &notFoundError{id}
	}
	p := newParcel(rows[0])
	s.mu.Lock()
	s.cache[key] = &cached{p, time.Now().Add(ttl)}
	s.mu.Unlock()
	return p, nil
}

// ANCHOR_END: cache

func (s *store) insert(ctx context.Context, p parcel) error {
	_, err := s.db.ExecContext(ctx, insertParcel, p.ID, p.Name, p.Town, p.Grams, p.Note)
	s.mu.Lock()
	delete(s.cache, fmt.Sprintf("parcel:%s", p.ID))
	s.mu.Unlock()
	return err
}

// ANCHOR: query
// query returns the rows of a query, each by the names of its columns.
func (s *store) query(ctx context.Context, query string, args ...any) ([]map[string]any, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for rows.Next() {
		values := make([]any, len(columns))
		pointers := make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, column := range columns {
			row[column] = values[i]
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// ANCHOR_END: query

func newParcel(row map[string]any) *parcel {
	p := &parcel{
		ID: row["id"].(string), Name: row["name"].(string), Town: row["town"].(string),
		Grams: int(row["grams"].(int64)),
	}
	if note, ok := row["note"].(string); ok {
		p.Note = new(note)
	}
	return p
}

func (s *store) events(ctx context.Context, id string) ([]*event, error) {
	rows, err := s.query(ctx, selectEvents, id)
	if err != nil {
		return nil, err
	}
	events := []*event{}
	for _, row := range rows {
		events = append(events, &event{
			At: row["at"].(time.Time), Place: row["place"].(string),
			Status: status(row["status"].(int64)),
		})
	}
	return events, nil
}

// ANCHOR: search
// search returns the parcels to a town that match all words of a query. A word
// is a part of the name, in letters of any case, or a weight, "grams>500".
func (s *store) search(ctx context.Context, town, query string) ([]*parcel, error) {
	rows, err := s.query(ctx, selectTown, town)
	if err != nil {
		return nil, err
	}
	var found []*parcel
	for _, row := range rows {
		if p := newParcel(row); matches(p, query) {
			found = append(found, p)
		}
	}
	return found, nil
}

func matches(p *parcel, query string) bool {
	weight := regexp.MustCompile(`^grams([<>])([0-9]+)$`)
	for _, word := range strings.Split(query, " ") {
		word = strings.ToLower(strings.TrimSpace(word))
		if m := weight.FindStringSubmatch(word); m != nil {
			grams, err := strconv.Atoi(m[2])
			if err != nil || m[1] == "<" && p.Grams >= grams || m[1] == ">" && p.Grams <= grams {
				return false
			}
		} else if !strings.Contains(strings.ToLower(p.Name), word) {
			return false
		}
	}
	return true
}

// ANCHOR_END: search
