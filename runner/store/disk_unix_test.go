//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"onthestack/runner/room"
)

// diskVariable has the folder of the process in which the disk fails.
const diskVariable = "JOURNAL_TEST_DISK"

// TestDiskFails fills the disk, as far as the store can tell: writing beyond a size of a file fails. Events that were
// acknowledged before are there when the disk is well again, and the same process then goes on.
func TestDiskFails(t *testing.T) {
	if dir := os.Getenv(diskVariable); dir != "" {
		appendUntilFull(t, dir)
		return
	}
	dir := t.TempDir()
	p := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskFails$", "-test.v")
	p.Env = append(os.Environ(), diskVariable+"="+dir)
	out, err := p.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "acknowledged"))
	if err != nil {
		t.Fatal(err)
	}
	j := openJournal(t, dir)
	acknowledged := strings.Fields(string(text))
	for _, id := range acknowledged {
		if _, err := j.Submission(t.Context(), "K7M2QX", id); err != nil {
			t.Error(err)
		}
	}
	if len(acknowledged) < 10 {
		t.Errorf("%d submissions were acknowledged\n%s", len(acknowledged), out)
	}
	if err := submitFiles(t, j, "after"); err != nil {
		t.Errorf("with a disk that is well again: %v", err)
	}
}

func submitFiles(t *testing.T, j *Journal, id string) error {
	e := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise6", Submission: id}
	_, err := j.Append(t.Context(), "K7M2QX", id,
		Record{Event: e, Files: map[string]string{"a.go": strings.Repeat("x", 10_000)}})
	return err
}

func appendUntilFull(t *testing.T, dir string) {
	j := openJournal(t, dir)
	// Beyond the limit, a write fails with EFBIG: Go ignores SIGXFSZ.
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	setLimit := func(bytes uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}); err != nil {
			t.Fatal(err)
		}
	}
	setLimit(500_000)
	var acknowledged []string
	// submit submits until it fails, or some more were acknowledged.
	submit := func(more int) (err error) {
		for range more {
			id := fmt.Sprint("s", len(acknowledged))
			if err = submitFiles(t, j, id); err != nil {
				return err
			}
			acknowledged = append(acknowledged, id)
		}
		return nil
	}
	for range 2 { // it does not go on before the disk is well
		if err := submit(200); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "free space") {
			t.Errorf("after %d: %v", len(acknowledged), err)
		}
		time.Sleep(2 * retryTime)
	}
	setLimit(before.Cur)
	full := len(acknowledged)
	for submit(200) != nil && t.Context().Err() == nil {
		time.Sleep(retryTime / 10)
	}
	if err := submit(1); err != nil || len(acknowledged) < full+200 {
		t.Errorf("with a disk that is well again: %v", err)
	}
	ids := []byte(strings.Join(acknowledged, " "))
	if err := os.WriteFile(filepath.Join(dir, "acknowledged"), ids, 0o600); err != nil {
		t.Fatal(err)
	}
}
