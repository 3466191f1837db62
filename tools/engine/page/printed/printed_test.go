package printed

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"onthestack/internal/execution"
)

func packed(descriptor byte, time uint64, length uint32, text string) string {
	b := binary.LittleEndian.AppendUint64([]byte{descriptor}, time)
	return string(binary.LittleEndian.AppendUint32(b, length)) + text
}

func all(text string) (all []string) {
	for p := range Pieces([]byte(text)) {
		all = append(all, fmt.Sprintf("%s %d %s", p.Kind, p.Time-execution.Epoch, p.Text))
	}
	return all
}

func TestPieces(t *testing.T) {
	const now = execution.Epoch
	for name, c := range map[string]struct {
		packed string
		want   []string
	}{
		"nothing":               {"", nil},
		"two":                   {packed(1, now, 1, "a") + packed(2, now+5, 2, "bc"), []string{"stdout 0 a", "stderr 5 bc"}},
		"no text":               {packed(1, now, 0, "") + packed(1, now, 1, "a"), []string{"stdout 0 ", "stdout 0 a"}},
		"another descriptor":    {packed(7, now, 1, "a"), []string{"stdout 0 a"}},
		"before its clock":      {packed(1, 3, 1, "a"), []string{"stdout 0 a"}},
		"behind its clock":      {packed(1, 1<<63, 1, "a"), []string{fmt.Sprintf("stdout %d a", int64(1<<63-1-now))}},
		"less than a head":      {packed(1, now, 1, "a") + "rest", []string{"stdout 0 a"}},
		"less than it promises": {packed(1, now, 1, "a") + packed(1, now, 9, "b"), []string{"stdout 0 a"}},
		"4 GiB promised":        {packed(1, now, 1<<32-1, "a"), nil},
	} {
		if got := all(c.packed); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for range Pieces([]byte(packed(1, now, 1, "a") + packed(1, now, 1, "b"))) {
		break
	}
}

func FuzzPieces(f *testing.F) {
	f.Add([]byte(packed(1, execution.Epoch, 1, "a") + packed(2, 1<<63, 1<<32-1, "b")))
	f.Fuzz(func(t *testing.T, text []byte) {
		size := 0
		for p := range Pieces(text) {
			if p.Time < execution.Epoch || p.Kind != execution.Stdout && p.Kind != execution.Stderr {
				t.Errorf("piece %+v", p)
			}
			size += head + len(p.Text)
		}
		if size > len(text) {
			t.Errorf("%d bytes of %d", size, len(text))
		}
	})
}
