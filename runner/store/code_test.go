package store

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/runner/room"
)

func storeCode(t *testing.T, j *Journal, code, text string) {
	t.Helper()
	e := room.Event{Kind: room.Checked, Participant: "p1", Exercise: "exercise6"}
	if err := j.StoreCode(t.Context(), code, Record{Event: e, Files: map[string]string{"a.go": text}}); err != nil {
		t.Fatal(err)
	}
}

// TestCodeBounded stores the code of many checks. Only the last one is kept, also by the files.
func TestCodeBounded(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	appendAll(t, j, "AAAAAA", lesson...)
	const checks, size = 200, 64 << 10
	for i := range checks {
		storeCode(t, j, "AAAAAA", strings.Repeat(string(rune('a'+i%26)), size))
	}
	storeCode(t, j, "AAAAAA", "the last")
	if record, err := j.Code(t.Context(), "AAAAAA", "p1", "exercise6"); err != nil || record.Files["a.go"] != "the last" {
		t.Errorf("the code is %.20q, %v", record.Files["a.go"], err)
	}
	info, err := j.checked.Info(t.Context())
	if err != nil || info.State.Msgs != 1 {
		t.Errorf("%d checks are kept, %v", info.State.Msgs, err)
	}
	var bytes int64
	filepath.WalkDir(filepath.Join(streamsIn(dir), checkedStream), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	if bytes > checks*size/2 {
		t.Errorf("the files of the last check take %d bytes; all checks have %d", bytes, checks*size)
	}
	t.Logf("%d bytes on disk for %d bytes of checks", bytes, checks*size)
}

// TestCodeOfDeleted stores the code of a check when its room is deleted already.
func TestCodeOfDeleted(t *testing.T) {
	j := openJournal(t, t.TempDir())
	fill(t, j, "AAAAAA", "Ada Alpha", "package alpha")
	if _, err := j.Delete(t.Context(), "AAAAAA"); err != nil {
		t.Fatal(err)
	}
	e := room.Event{Kind: room.Checked, Participant: "p1", Exercise: "exercise6"}
	if err := j.StoreCode(t.Context(), "AAAAAA", Record{Event: e}); err == nil {
		t.Error("code is stored in a deleted room")
	}
	if info, err := j.checked.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("%d checks are kept, %v", info.State.Msgs, err)
	}
}
