package bookdata

import "testing"

func TestGCRun(t *testing.T) {
	var r GCRun
	for line, want := range map[string]bool{
		"gc 3 @0.021s 4%: 0.030+1.9+0.005 ms clock, 0.061+0.22/1.7/0+0.010 ms cpu, 31->33->16 MB, 34 MB goal, " +
			"0 MB stacks, 0 MB globals, 2 P": true,
		"scvg: inuse: 4": false,
		"gc":             false,
	} {
		if got := r.Add(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
	if want := (GCRun{Collections: 1, Heap: 31, Live: 16, Share: 4}); r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
}
