// Package shop has a type of each form that webtypes writes, and of each that it refuses.
package shop

import (
	"encoding/json"
	"net/url"
	"time"
)

const (
	Schema   = "shop/" + "1"
	MaxGoods = 10 << 10

	Open   = "open"
	Closed = "closed"
)

// A Unit is one in which goods are counted.
type Unit string

const (
	Piece Unit = "piece"
	Liter Unit = "liter"
)

// A Price is an amount of money.
type Price struct {
	Cents    int    `json:"cents"`
	Currency string `json:"currency"` // as ISO 4217 names it: "EUR"
}

// An order names what a customer buys.
type Order struct {
	Unit  Unit   `json:"unit"`
	Price *Price `json:"price,omitempty"`
}

type Count int64

// A Shop is open or closed. Its documentation is long enough that it does not fit into a single line of a hundred and
// twenty columns.
type Shop struct {
	Name    string // of its owner
	IsLarge bool
	// State is whether one can buy something.
	State   string            `json:"state"`
	Rent    Price             `json:"rent"`
	Refund  *float64          `json:"refund"` // nil: none
	Prices  []Price           `json:"prices,omitempty"`
	Units   []Unit            `json:"units"`
	Signs   map[string]string `json:"door-signs"`
	Nested  map[string][]Price
	Count   Count         `json:"count"`
	Number  json.Number   `json:"number"`
	Took    time.Duration `json:"took"`
	Since   time.Time     `json:"since,omitzero"`
	Secret  string        `json:"-"`
	Dash    string        `json:"-,"`
	private int
	Order   // embedded: its fields are the shop's own
}

type Embeds struct{ *Price }

type Quoted struct {
	N int `json:"n,string"`
}

type Bytes struct{ Data []byte }

type Anything struct{ Any any }

type Marshals struct{ At json.RawMessage }

type Numbered struct{ By map[int]string }

type Foreign struct{ URL url.Userinfo }

// price would have the name of Price.
type price struct{ N int }

type Same struct {
	A Price
	B price
}
