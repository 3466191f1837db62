package api

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A stock is the resources that the idle server uses.
type stock struct {
	goroutines int
	heap       uint64
}

func takeStock(t *testing.T) stock {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return stock{runtime.NumGoroutine(), m.HeapAlloc}
}

// compare fails the test if the server uses more than before, after a grace period.
func (before stock) compare(t *testing.T) {
	t.Helper()
	const grown = 16 << 20
	deadline := time.Now().Add(2 * time.Minute)
	for {
		after := takeStock(t)
		left := leftFolders(t)
		if after.goroutines <= before.goroutines && after.heap < before.heap+grown && len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines, before %d; %d kB of heap, before %d kB; folders left: %v\n%s",
				after.goroutines, before.goroutines,
				after.heap>>10, before.heap>>10, left, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// leftFolders returns the folders of builds and of formatting that still exist.
func leftFolders(t testing.TB) []string {
	builds, err := filepath.Glob(filepath.Join(dataDir, "builds", "*", "[0-9]*"))
	if err != nil {
		t.Fatal(err)
	}
	formats, err := filepath.Glob(filepath.Join(dataDir, "builds", "*", "format-*"))
	if err != nil {
		t.Fatal(err)
	}
	return append(builds, formats...)
}
