package main

import (
	"runtime"
	"testing"
)

// The collector runs beside the program, so on a busy machine it collects less often than its goal says. Only settings
// that are far apart are compared.
func TestCollections(t *testing.T) {
	kept = make([]byte, liveMiB<<20)
	defer runtime.KeepAlive(kept)
	often, seldom := collections(50, 0), collections(400, 0)
	if seldom >= often {
		t.Errorf("%d collections with GOGC=400 and %d with GOGC=50, want fewer", seldom, often)
	}
	if limited := collections(-1, 64); limited == 0 {
		t.Error("no collection with GOGC=off GOMEMLIMIT=64MiB, want some")
	}
}
