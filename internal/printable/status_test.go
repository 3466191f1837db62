package printable

import (
	"fmt"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for _, test := range []struct {
		name     string
		terminal bool
		want     string
	}{
		{"a terminal", true, "one\r\x1b[Ktwo\r\x1b[Kstays\ngone\r\x1b[Klogged\nthree\nfour\r\x1b[K\x1b[A\r\x1b[K"},
		{"a file", false, "stays\nlogged\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			l := NewStatusLine(&b)
			l.terminal = test.terminal
			l.Show("one")
			l.Show("two")
			l.Print("%s", "stays")
			l.Show("gone")
			fmt.Fprintln(l, "logged")
			l.ShowLines("three", "four")
			l.Clear()
			l.Clear()
			if b.String() != test.want {
				t.Errorf("%q, want %q", b.String(), test.want)
			}
		})
	}
}
