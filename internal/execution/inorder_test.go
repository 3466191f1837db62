package execution

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestInOrder(t *testing.T) {
	var got []int
	for i, wait := range InOrder(t.Context(), 50, func(_ context.Context, i int) (int, error) {
		time.Sleep(time.Duration(i%3) * time.Millisecond)
		return i * i, nil
	}) {
		if n, err := wait(); n != i*i || err != nil {
			t.Errorf("%d: %d, error %v", i, n, err)
		}
		got = append(got, i)
	}
	if len(got) != 50 || !slices.IsSorted(got) {
		t.Errorf("order %v", got)
	}
	for range InOrder(t.Context(), 0, func(context.Context, int) (int, error) { return 0, nil }) {
		t.Error("something came of nothing")
	}
}

// TestBreak proves that a caller that leaves the loop early finds all work ended, and that work that had not begun is
// not done.
func TestBreak(t *testing.T) {
	var running, begun atomic.Int32
	for i := range InOrder(t.Context(), 1000, func(ctx context.Context, i int) (int, error) {
		begun.Add(1)
		running.Add(1)
		defer running.Add(-1)
		if i > 0 {
			<-ctx.Done()
		}
		return i, nil
	}) {
		if i == 1 {
			break
		}
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d still run", n)
	}
	if n := begun.Load(); n == 1000 {
		t.Error("all of it was begun")
	}
}
