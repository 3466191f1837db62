package queue

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestBackground has requests move to the background. Their slots go to others at once, as many go on there as there
// is room for, and none is preempted there. The others wait until there is room, before they go on from the beginning.
func TestBackground(t *testing.T) {
	for _, c := range []struct {
		slots int
		busy  int // requests that hold slots all the time
		room  int // for how many there is room
	}{{1, 0, 1}, {2, 0, 2}, {2, 1, 1}, {3, 0, 3}, {3, 2, 2}, {4, 3, 2}} {
		t.Run(fmt.Sprintf("%d of %d slots are held", c.busy, c.slots), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, c.slots, 100)
				for i := range c.busy {
					joined(t, q, fmt.Sprint("busy", i))
				}
				var behind []*Task
				for i := range c.room + 1 {
					task := joined(t, q, "hog")
					switch err := task.Background(); {
					case i < c.room && (err != nil || !task.background || !task.isWorking()):
						t.Fatalf("request %d does not go on in the background: %v", i, err)
					case i == c.room && (err != ErrPreempted || !task.requeue() || task.isWorking()):
						t.Fatalf("request %d, for which there is no room, goes on: %v", i, err)
					}
					behind = append(behind, task)
				}
				if got := q.taken(); got != c.busy {
					t.Errorf("%d slots are taken, want %d", got, c.busy)
				}
				short := joined(t, q, "other")
				if !short.isWorking() {
					t.Error("another client has no slot")
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				for i, task := range behind[:c.room] {
					if task.preempted {
						t.Errorf("request %d is preempted in the background", i)
					}
				}
				short.done()
				behind[0].done()
				last := behind[c.room]
				if _, err := last.acquire(); err != nil || !last.InBackground() {
					t.Errorf("the last request is not in the background: %v", err)
				}
				if err := last.Background(); err != nil {
					t.Errorf("a request in the background cannot stay there: %v", err)
				}
			})
		})
	}
	if s := new(Task); s.Background() != nil || s.InBackground() {
		t.Error("work outside a queue is in the background, or cannot go on")
	}
}

// TestShortRequestsDoNotWaitForLong has a class of sixty send a short request every twelve seconds, in which every
// tenth is long, and moves to the background when that turns out. The short ones wait as if there were no long ones.
func TestShortRequestsDoNotWaitForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes, found, long = 300 * time.Millisecond, 500 * time.Millisecond, 7 * time.Second
		q := newQueue(t, 2, 100)
		for n := range 300 {
			isLong := n%10 == 9
			var waited time.Duration
			work := func(_ context.Context, task *Task) (Result, error) {
				waited = time.Since(task.since)
				switch {
				case !isLong:
					time.Sleep(takes)
				case !task.InBackground():
					time.Sleep(found)
					if err := task.Background(); err != nil {
						return Result{}, err
					}
					fallthrough
				default:
					time.Sleep(long)
				}
				return Result{}, nil
			}
			go func() {
				time.Sleep(time.Duration(n) * 200 * time.Millisecond)
				_, err := q.Do(t.Context(), &Request{Client: fmt.Sprint(n % 60), Work: work})
				if err != nil || !isLong && waited > time.Second {
					t.Errorf("request %d, long %v, waits for %v: %v", n, isLong, waited, err)
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if c := q.Counts(); c.Working+c.Waiting+c.Background+len(q.freed) != 0 {
			t.Errorf("at the end %+v, clients %v", c, q.freed)
		}
	})
}

// TestRoomInTheBackground tests that helpers, which do no work in the background, make no room there.
func TestRoomInTheBackground(t *testing.T) {
	q := newQueue(t, 2, 10)
	q.SetSlots(26)
	for _, test := range []struct {
		taken, background int
		want              bool
	}{{0, 0, true}, {0, 1, true}, {0, 2, false}, {1, 1, false}, {20, 0, true}, {20, 1, false}} {
		q.running = nil
		for range test.background {
			q.running = append(q.running, &Task{background: true})
		}
		if got := q.backgroundRoom(test.taken); got != test.want {
			t.Errorf("with %d slots taken and %d in the background: %v", test.taken, test.background, got)
		}
	}
}
