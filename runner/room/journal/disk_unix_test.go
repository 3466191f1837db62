//go:build unix

package journal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"onthestack/runner/room"
)

// diskVariable has the folder of the process in which the disk fails.
const diskVariable = "JOURNAL_TEST_DISK"

// TestDiskFails fills the disk, as far as the journal can tell: writing beyond a size of a file fails. Events that were
// acknowledged before are there when the disk is well again.
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
	j := open(t, dir)
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
	e := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise1", Submission: id}
	_, err := j.Append(t.Context(), "K7M2QX", id,
		Record{Event: e, Files: map[string]string{"a.go": strings.Repeat("x", 10_000)}})
	return err
}

func appendUntilFull(t *testing.T, dir string) {
	j := open(t, dir)
	// Beyond the limit, a write fails with EFBIG: Go ignores SIGXFSZ.
	limit := syscall.Rlimit{Cur: 500_000, Max: 500_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	for i := range 200 {
		id := fmt.Sprint("s", i)
		if err := submitFiles(t, j, id); err != nil {
			if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "restart the runner") {
				t.Errorf("after %d: %v", i, err)
			}
			ids := []byte(strings.Join(acknowledged, " "))
			if err := os.WriteFile(filepath.Join(dir, "acknowledged"), ids, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
		acknowledged = append(acknowledged, id)
	}
	t.Error("the disk never fails")
}
