package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// The statements that the database understands.
const (
	insertParcel = "REPLACE INTO parcels (id, name, town, grams, note) VALUES (?, ?, ?, ?, ?)"
	selectParcel = "SELECT id, name, town, grams, note FROM parcels WHERE id = ?"
	selectTown   = "SELECT id, name, town, grams, note FROM parcels WHERE town = ?"
	selectEvents = "SELECT at, place, status FROM events WHERE id = ? ORDER BY at"
)

// A database is a driver for package database/sql with its data in memory. It
// stands for a server elsewhere, so it hands out rows that are there already
// and allocates as little as it can: what a query costs here is what package
// database/sql and the service make of it.
type database struct {
	mu      sync.Mutex
	parcels map[string][]driver.Value
	towns   map[string][][]driver.Value
	events  map[string][][]driver.Value
	archive [][]driver.Value
}

// archived is how many parcels of earlier years the database has. No query asks
// for them, but the garbage collector visits them.
const archived = 50_000

func newDatabase() *database {
	d := &database{
		parcels: map[string][]driver.Value{},
		towns:   map[string][][]driver.Value{},
		events:  map[string][][]driver.Value{},
		archive: make([][]driver.Value, archived),
	}
	for i := range d.archive {
		d.archive[i] = []driver.Value{fmt.Sprintf("RA%09d", i), "Ada Lindqvist", "Lund", int64(1000 + i), nil}
	}
	return d
}

// add adds an event of a parcel.
func (d *database) add(id string, at time.Time, place string, status int64) {
	d.events[id] = append(d.events[id], []driver.Value{at, place, status})
}

func (d *database) Connect(context.Context) (driver.Conn, error) { return &connection{d}, nil }
func (d *database) Driver() driver.Driver                        { return d }
func (d *database) Open(string) (driver.Conn, error)             { return &connection{d}, nil }

type connection struct{ d *database }

var errUnsupported = errors.New("database: not supported")

func (c *connection) Prepare(string) (driver.Stmt, error) { return nil, errUnsupported }
func (c *connection) Begin() (driver.Tx, error)           { return nil, errUnsupported }
func (c *connection) Close() error                        { return nil }

func (c *connection) ExecContext(
	_ context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	if query != insertParcel {
		return nil, fmt.Errorf("database: unknown statement %q", query)
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	id := args[0].Value.(string)
	row := c.d.parcels[id]
	if row == nil {
		row = make([]driver.Value, len(args))
		town := args[2].Value.(string)
		c.d.parcels[id] = row
		c.d.towns[town] = append(c.d.towns[town], row)
	}
	for i, a := range args {
		row[i] = a.Value
	}
	return driver.RowsAffected(1), nil
}

var (
	parcelColumns = []string{"id", "name", "town", "grams", "note"}
	eventColumns  = []string{"at", "place", "status"}
)

func (c *connection) QueryContext(
	_ context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	key := args[0].Value.(string)
	switch query {
	case selectParcel:
		r := &rows{columns: parcelColumns}
		if row := c.d.parcels[key]; row != nil {
			r.rows = [][]driver.Value{row}
		}
		return r, nil
	case selectTown:
		return &rows{columns: parcelColumns, rows: c.d.towns[key]}, nil
	case selectEvents:
		return &rows{columns: eventColumns, rows: c.d.events[key]}, nil
	}
	return nil, fmt.Errorf("database: unknown query %q", query)
}

// rows are the result of a query.
type rows struct {
	columns []string
	rows    [][]driver.Value
}

func (r *rows) Columns() []string { return r.columns }
func (r *rows) Close() error      { return nil }

func (r *rows) Next(dest []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(dest, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}
