package queue

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// background has a request with a slot move to the background, and returns the error.
func background(t *testing.T, task *Task) error {
	t.Helper()
	if _, err := task.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return task.Background()
}

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
					if _, err := q.Join(fmt.Sprint("busy", i), ""); err != nil {
						t.Fatal(err)
					}
				}
				var behind []*Task
				for i := range c.room + 1 {
					task, err := q.Join("hog", "")
					if err != nil {
						t.Fatal(err)
					}
					switch err := background(t, task); {
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
				short, err := q.Join("other", "")
				if err != nil || !short.isWorking() {
					t.Errorf("another client has no slot: %v", err)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				for i, task := range behind[:c.room] {
					if task.preempted {
						t.Errorf("request %d is preempted in the background", i)
					}
				}
				short.Leave()
				behind[0].Leave()
				last := behind[c.room]
				if _, err := last.Wait(t.Context()); err != nil || !last.InBackground() {
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
			go func() {
				time.Sleep(time.Duration(n) * 200 * time.Millisecond)
				joined := time.Now()
				task, err := q.Join(fmt.Sprint(n%60), "/compile")
				if err != nil {
					t.Error(err)
					return
				}
				defer task.Leave()
				_, err = task.Wait(t.Context())
				if n%10 != 9 {
					if waited := time.Since(joined); err != nil || waited > time.Second {
						t.Errorf("short request %d waits for %v: %v", n, waited, err)
					}
					time.Sleep(takes)
					return
				}
				time.Sleep(found)
				if err = task.moveToBackground(); err != nil && task.requeue() {
					_, err = task.Wait(t.Context())
				}
				if err != nil {
					t.Errorf("long request %d: %v", n, err)
				}
				time.Sleep(long)
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if c := q.Counts(); c.Working+c.Waiting+c.Background+len(q.clients) != 0 {
			t.Errorf("at the end %+v, %d clients", c, len(q.clients))
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
