package upload_test

import (
	"strings"
	"testing"

	"onthestack/exercises/exercise33"
)

// BenchmarkAuditConfirmWaiting keeps all jobs, as the queue does while the log is slow, and drops
// the requests. The checker counts the live bytes at its end. The requests have bodies of 16 KiB
// at first. Later ones have bodies and headers of any size, and some have no header.
func BenchmarkAuditConfirmWaiting(b *testing.B) {
	const alike = 1000
	r := newRand(b)
	var entries [11]entry
	for i := range entries {
		// All words have the same length, so that the live bytes are the same in each run.
		entries[i] = entry{user: fixed(r, 10), path: fixed(r, 30), kind: fixed(r, 10)}
	}
	var sizes [97]int
	for i := range sizes {
		sizes[i] = newSize(r, 4000) - 1
	}
	want := func(i int) entry {
		e := entries[i%len(entries)]
		if e.size = 16 << 10; i >= alike {
			e.size = sizes[i%len(sizes)]
		}
		if i >= alike && i%3 == 0 {
			e.kind = ""
		}
		return e
	}
	requests := make([]*upload.Request, min(b.N, 1<<15)) // more operations have the same requests again
	for i := range requests {
		e := want(i)
		requests[i] = &upload.Request{User: e.user, Path: e.path, Body: make([]byte, e.size)}
		if e.kind != "" {
			requests[i].Header = map[string][]string{
				"Content-Type": {e.kind}, "Cookie": {strings.Repeat("c", e.size/8)},
			}
		}
	}
	waiting := &queue{jobs: make([]func(), len(requests))}
	audit := &log{}
	server := upload.NewServer(waiting, audit)
	b.ResetTimer()
	for i := range b.N {
		server.Audit(requests[i%len(requests)])
	}
	clear(requests) // the caller drops them
	b.StopTimer()   // here the checker counts the live bytes
	for i, job := range waiting.jobs {
		if job(); audit.last != want(i) {
			b.Fatalf("wrong entry\n  got:  %s\n  want: %s", show(audit.last), show(want(i)))
		}
	}
}

// BenchmarkAuditConfirmLarge has bodies of 1 MiB, and long words.
func BenchmarkAuditConfirmLarge(b *testing.B) {
	r := newRand(b)
	requests := make([]*upload.Request, 101)
	body := make([]byte, 1<<20)
	for i := range requests {
		requests[i], _ = newRequest(r, 0)
		requests[i].Body = body[:len(body)-r.IntN(2)*r.IntN(len(body))]
		requests[i].Path += strings.Repeat("x", newSize(r, 5000))
	}
	server := upload.NewServer(&queue{jobs: make([]func(), 1000)}, &log{})
	for i := 0; b.Loop(); i++ {
		server.Audit(requests[i%len(requests)])
	}
}
