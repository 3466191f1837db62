// Package prices looks up what an article costs in a warehouse.
package prices

import (
	"strconv"
	"sync"
)

// A List has prices in cents, by warehouse and number of the article: "north/70214".
type List map[string]int

// ANCHOR: of

// Of returns the price of an article.
func (l List) Of(warehouse string, article int) int {
	key := make([]byte, 0, len(warehouse)+21)
	key = append(key, warehouse...)
	key = append(key, '/')
	key = strconv.AppendInt(key, int64(article), 10)
	return l[string(key)]
}

// ANCHOR_END: of

// ANCHOR: pooled

var keys = sync.Pool{New: func() interface{} { return make([]byte, 0, 64) }}

// Pooled is Of with keys from a pool.
func (l List) Pooled(warehouse string, article int) int {
	key := keys.Get().([]byte)[:0]
	key = append(key, warehouse...)
	key = append(key, '/')
	key = strconv.AppendInt(key, int64(article), 10)
	price := l[string(key)]
	keys.Put(key)
	return price
}

// ANCHOR_END: pooled
