package heapprofile

import "testing"

const edited = `package p

// A comment that was not there.

func F(n int) []int {
	s := make([]int, n)
	go func() {
		s = append(s, n)
	}()
	return s
}

type T[E any] struct{ all []E }

func (t *T[E]) Add(e E) { t.all = append(t.all, e) }

func Map[K comparable](k K) map[K]int {
	return map[K]int{k: 1}
}

var table = map[string]int{"a": 1}
`

// TestFind finds lines of a profile in a file to which two lines were added at its beginning.
func TestFind(t *testing.T) {
	s := &sources{
		texts:  map[string]map[string][]byte{"example.com/p": {"p.go": []byte(edited), "p.y": []byte("%%\n")}},
		parsed: map[[2]string]map[string]declared{},
		starts: map[string]int{"example.com/p.F": 3, "example.com/p.(*T[...]).Add": 13},
	}
	for _, test := range []struct {
		name        string
		file        string
		line, start int
		want        int
		changed     bool
	}{
		{"F", "p.go", 4, 3, 6, false},
		{"F", "p.go", 6, 0, 6, false},       // not known where it began
		{"F", "p.go", 12, 3, 12, true},      // longer than it is now
		{"F.func1", "p.go", 6, 5, 8, false}, // moves with F
		{"G.F.func1", "p.go", 6, 5, 8, false},
		{"(*T[...]).Add", "p.go", 13, 13, 15, false},
		{"Map[...]", "p.go", 16, 15, 18, false},
		{"Gone", "p.go", 4, 3, 4, true},
		{"F", "gone.go", 4, 3, 4, true},
		{"F", "p.y", 4, 3, 4, false},
		{"init", "p.go", 21, 21, 21, false},
	} {
		f := frame{pkg: "example.com/p", named: "example.com/p", function: "example.com/p." + test.name, file: test.file,
			line: test.line, start: test.start}
		if line, changed := s.find(f); line != test.want || (changed != "") != test.changed {
			t.Errorf("%s, %s:%d: %d, %q; want %d", test.name, test.file, test.line, line, changed, test.want)
		}
	}
}
