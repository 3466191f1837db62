package execution

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

func pack(descriptor byte, time uint64, length uint32, text string) string {
	b := binary.LittleEndian.AppendUint64([]byte{descriptor}, time)
	return string(binary.LittleEndian.AppendUint32(b, length)) + text
}

func pieces(text string) (all []string) {
	for p := range Pieces([]byte(text), false) {
		all = append(all, fmt.Sprintf("%s %d %s", p.Kind, p.Time-Epoch, p.Text))
	}
	return all
}

func TestPieces(t *testing.T) {
	const now = Epoch
	for name, c := range map[string]struct {
		packed string
		want   []string
	}{
		"nothing": {"", nil},
		"two": {pack(1, now, 1, "a") + pack(2, now+5, 2, "bc"),
			[]string{"stdout 0 a", "stderr 5 bc"}},
		"no text":               {pack(1, now, 0, "") + pack(1, now, 1, "a"), []string{"stdout 0 ", "stdout 0 a"}},
		"another descriptor":    {pack(7, now, 1, "a"), []string{"stdout 0 a"}},
		"before its clock":      {pack(1, 3, 1, "a"), []string{"stdout 0 a"}},
		"behind its clock":      {pack(1, 1<<63, 1, "a"), []string{fmt.Sprintf("stdout %d a", int64(1<<63-1-now))}},
		"less than a head":      {pack(1, now, 1, "a") + "rest", []string{"stdout 0 a"}},
		"less than it promises": {pack(1, now, 1, "a") + pack(1, now, 9, "b"), []string{"stdout 0 a"}},
		"4 GiB promised":        {pack(1, now, 1<<32-1, "a"), nil},
	} {
		if got := pieces(c.packed); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	recorded := pack(1, now, 1, "a") + pack(3, 0, 2, "bc") + pack(2, now, 1, "d")
	for _, c := range []struct {
		reports bool
		want    string
	}{{false, "stdout stdout stderr "}, {true, "stdout report stderr "}} {
		got := ""
		for p := range Pieces([]byte(recorded), c.reports) {
			got += p.Kind + " "
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for range Pieces([]byte(pack(1, now, 1, "a")+pack(1, now, 1, "b")), false) {
		break
	}
}

func FuzzPieces(f *testing.F) {
	f.Add([]byte(pack(1, Epoch, 1, "a") + pack(2, 1<<63, 1<<32-1, "b")))
	f.Fuzz(func(t *testing.T, text []byte) {
		size := 0
		for p := range Pieces(text, false) {
			if p.Time < Epoch || p.Kind != Stdout && p.Kind != Stderr {
				t.Errorf("piece %+v", p)
			}
			size += pieceHead + len(p.Text)
		}
		if size > len(text) {
			t.Errorf("%d bytes of %d", size, len(text))
		}
	})
}
