package queue

import (
	"crypto/sha256"
	"encoding/binary"
)

// A Key is a hash of everything that an answer depends on.
type Key [sha256.Size]byte

// KeyOf returns the key for a sequence of texts.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		// The lengths make "ab","c" and "a","bc" differ.
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return Key(h.Sum(nil))
}

// A CacheStatus says where an answer came from.
type CacheStatus string

const (
	Hit    CacheStatus = "hit"    // from the stored answers
	Miss   CacheStatus = "miss"   // the work was done for this request
	Shared CacheStatus = "shared" // an equal request was under way already
)

// weigh returns the size of an entry in bytes, without the cache's own bookkeeping.
func weigh(key Key, a Answer) uint32 {
	n := len(key) + len(a.Body)
	for _, e := range a.stages {
		n += len(e.Name) + len(e.Data)
	}
	return uint32(min(n, 1<<32-1))
}

// CacheCounts are the stored answers, and the number of answers that were removed to make room for others.
type CacheCounts struct {
	Entries, Bytes, Evictions uint64
}

func (q *Queue) Stored() CacheCounts {
	if q.answers == nil {
		return CacheCounts{}
	}
	return CacheCounts{
		Entries:   uint64(q.answers.EstimatedSize()),
		Bytes:     q.answers.WeightedSize(),
		Evictions: q.answers.Stats().Evictions,
	}
}
