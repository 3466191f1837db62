package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// firstQuantum is the quantum of a request of a kind that was never measured.
const firstQuantum = quantumFactor * initialEstimate

// A worker is a request that joins at some time and works for some time. Preempted work starts again.
type worker struct {
	client, kind string
	at, takes    time.Duration
}

// simulate has the workers use a queue in simulated time. It returns when the work of each ended, rounded to tenths
// of a second, and how often work was preempted.
func simulate(t *testing.T, slots int, workers []worker) (ended []time.Duration, preempted int) {
	ended = make([]time.Duration, len(workers))
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, slots, 100)
		start := time.Now()
		for i, w := range workers {
			go func() {
				time.Sleep(w.at)
				task, err := q.Join(w.client, w.kind)
				if err != nil {
					t.Errorf("worker %d: %v", i, err)
					return
				}
				defer task.Leave()
				for again := true; again; {
					work, err := task.Wait(t.Context())
					if err != nil {
						t.Errorf("worker %d: %v", i, err)
						return
					}
					select {
					case <-time.After(w.takes):
						again = false
					case <-work.Done():
						if again = task.requeue(); !again {
							t.Errorf("worker %d was stopped by %v and cannot wait again", i, context.Cause(work))
						}
					}
				}
				ended[i] = time.Since(start)
			}()
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		c := q.Counts()
		if c.Working != 0 || c.Waiting != 0 || len(q.running) != 0 || len(q.clients) != 0 {
			t.Errorf("at the end %+v, %d running, %d clients", c, len(q.running), len(q.clients))
		}
		preempted = c.Preempted
	})
	return ended, preempted
}

// several returns n workers of one client that come together.
func several(n int, w worker) []worker { return slices.Repeat([]worker{w}, n) }

func TestPreemption(t *testing.T) {
	const s = time.Second
	endless := worker{client: "hog", takes: 40 * s}
	hello := func(client string, at time.Duration) worker { return worker{client: client, at: at, takes: s / 5} }
	const ms = time.Millisecond // a delay that makes the order certain
	for _, c := range []struct {
		name      string
		slots     int
		workers   []worker
		last      time.Duration // when the last worker ends
		preempted int
	}{
		{"alone a client may hold every slot", 2, several(2, endless), 40 * s, 0},
		{"a client with several slots loses one after preemptionDelay", 2, append(several(2, endless), hello("b", ms)),
			ms +
				preemptionDelay + s/5, 1},
		{"the hog's other requests do not take the slot", 2, append(several(6, endless), hello("b", s/2)), s/2 +
			preemptionDelay + s/5, 1},
		{"a request past its quantum is preempted at once", 2,
			append(several(2, endless), hello("b", 10*s)), 10*s + s/5,
			1},
		{"a request past its quantum, with one slot", 1, []worker{endless, hello("b", 10*s)}, 10*s + s/5, 1},
		{"a request within its quantum is preempted at the end of that", 1, []worker{endless, hello("b", s)},
			firstQuantum + s/5, 1},
		{"a slot that is free before preemptionDelay is waited for", 2, append(several(2, worker{client: "a",
			takes: preemptionDelay - ms}),
			hello("b", 2*ms)), preemptionDelay - ms + s/5, 0},
		{"a request that ends before its quantum is not preempted", 1,
			[]worker{{client: "a", takes: firstQuantum - s/10}, hello("b", ms)}, firstQuantum + s/10, 0},
		{"a client's own endless request is preempted too", 1, []worker{{client: "a", takes: 40 * s},
			hello("a", s)}, firstQuantum + s/5, 1},
		{"a long request does not wait behind endless ones in the background", 1,
			append(several(6, endless), worker{client: "b", at: ms, takes: 8 * s}), firstQuantum + 8*s, 1},
		{"a class behind one address loses nothing to another client", 2, append(several(30, hello("b", 0)),
			worker{client: "a", at: ms, takes: s}), s/5 + s, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ended, preempted := simulate(t, c.slots, c.workers)
			if got := ended[len(ended)-1]; got != c.last {
				t.Errorf("the last worker is done after %v, want %v; all: %v", got, c.last, ended)
			}
			if preempted < c.preempted || c.preempted == 0 && preempted > 0 {
				t.Errorf("%d were preempted, want %d, or more if others wait", preempted, c.preempted)
			}
		})
	}
}

// TestAnotherClientWaitsBriefly has one client send many requests of some length, all the time, and another one a
// short request every three seconds. None of the short requests waits for longer than preemptionDelay, with two slots
// and with more. With one slot, each of the long requests may hold it for a quantum, and five of them may come first.
func TestAnotherClientWaitsBriefly(t *testing.T) {
	for _, slots := range []int{1, 2, 4} {
		for _, takes := range []time.Duration{100 * time.Millisecond, 900 * time.Millisecond, 3 * time.Second,
			25 * time.Second} {
			t.Run(fmt.Sprintf("%d slots, %v", slots, takes), func(t *testing.T) {
				var workers []worker
				for i := range 40 {
					workers = append(workers, worker{"hog", "/check", time.Duration(i) * time.Second, takes})
				}
				const first = 40
				for i := range 10 {
					workers = append(workers, worker{"b", "/compile", time.Duration(5+3*i) * time.Second,
						200 * time.Millisecond})
				}
				ended, _ := simulate(t, slots, workers)
				most := preemptionDelay
				if slots == 1 {
					most = 5 * maxQuantum
				}
				for i, w := range workers[first:] {
					if waited := ended[first+i] - w.at - w.takes; waited > most {
						t.Errorf("request %d waits for %v", i, waited)
					}
				}
			})
		}
	}
}

// TestPreemptionWastesLittle has more clients than slots send long requests. With preemption all of them together
// take less than three times as long as without.
func TestPreemptionWastesLittle(t *testing.T) {
	const takes = 10 * time.Second
	var workers []worker
	for i := range 20 {
		workers = append(workers, worker{client: fmt.Sprint(i % 7), takes: takes})
	}
	ended, preempted := simulate(t, 2, workers)
	if last := slices.Max(ended); last > 3*10*takes {
		t.Errorf("20 requests of %v, two at a time, took %v, with %d preempted", takes, last, preempted)
	}
	if preempted == 0 {
		t.Error("no request was preempted, so this test proved nothing")
	}
}

// TestOrdinaryRequestsAreNotPreempted has a class send requests that take as long as the queue expects, or half as
// long again.
func TestOrdinaryRequestsAreNotPreempted(t *testing.T) {
	var workers []worker
	for i := range 60 {
		workers = append(workers, worker{fmt.Sprint("pupil", i), "/check",
			time.Duration(i) * 100 * time.Millisecond, 3 * time.Second})
	}
	for i := range 60 {
		workers = append(workers, worker{fmt.Sprint("pupil", i), "/check", 200 * time.Second, 4500 * time.Millisecond})
	}
	_, preempted := simulate(t, 2, workers)
	// A few requests are preempted before the first measurement.
	if preempted > 12 {
		t.Errorf("%d were preempted", preempted)
	}
}

// TestPreemptedKeepsItsSeniority has a client with two slots lose one: the preempted request gets the client's next
// slot, before requests that joined later. If it had run for its quantum, it would be in the background.
func TestPreemptedKeepsItsSeniority(t *testing.T) {
	for _, long := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, 2, 10)
			tasks, _ := join(t, q, "a a a a")
			if long {
				time.Sleep(firstQuantum)
				tasks["a1"].Leave() // a2 has run for its quantum, a3 has just started
			}
			more, _ := join(t, q, "b")
			time.Sleep(preemptionDelay)
			synctest.Wait()
			if !tasks["a2"].requeue() {
				t.Fatal("the second slot is not wanted")
			}
			if !more["b1"].isWorking() {
				t.Errorf("the other client has no slot: %+v", q.Counts())
			}
			if tasks["a2"].isWorking() != long || tasks["a2"].background != long {
				t.Errorf("having run for long: %v, it works in the background: %v", long, !long)
			}
			// The client has more waiting requests than slots: one leaves.
			if !long {
				tasks["a1"].Leave()
				if !tasks["a2"].isWorking() {
					t.Error("it does not have the client's next slot")
				}
			}
			for _, task := range []*Task{tasks["a1"], tasks["a2"], tasks["a3"], tasks["a4"], more["b1"]} {
				task.Leave()
			}
		})
	}
}

// TestPreemptedTaskIsShared has a client share a request that has a slot. After preemption the request waits as
// that client's too.
func TestPreemptedTaskIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 1, 10)
		tasks, _ := join(t, q, "x")
		_, err := tasks["x1"].Wait(t.Context())
		if err == nil {
			err = tasks["x1"].moveToBackground() // there is no room for another one then
		}
		if err != nil {
			t.Fatal(err)
		}
		x := tasks["x1"]
		tasks, _ = join(t, q, "a b")
		if _, err := tasks["a1"].Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		tasks["a1"].Share("c")
		if tasks["a1"].requeue() {
			t.Error("a slot is given up although no request waits")
		}
		time.Sleep(firstQuantum)
		synctest.Wait()
		if !tasks["a1"].requeue() {
			t.Fatal("the slot is not wanted after the first quantum")
		}
		if !tasks["b1"].isWorking() || tasks["a1"].isWorking() || tasks["a1"].Position() != 1 {
			t.Errorf("the slot did not go to the other client: %+v", q.Counts())
		}
		if c := q.clients["c"]; c == nil || len(q.waitingOf("c")) != 1 {
			t.Errorf("the client that shares the request is not waiting: %+v", c)
		}
		tasks["b1"].Leave()
		x.Leave()
		if !tasks["a1"].isWorking() {
			t.Error("the preempted request does not go on")
		}
		tasks["a1"].Leave()
	})
}

// TestPreemptionOfTheCanceled has a client cancel a preempted request.
func TestPreemptionOfTheCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 1, 10)
		ctx, giveUp := context.WithCancel(t.Context())
		tasks, _ := join(t, q, "a b")
		work, err := tasks["a1"].Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(firstQuantum)
		synctest.Wait()
		if context.Cause(work) != ErrPreempted {
			t.Errorf("the work ends with %v", context.Cause(work))
		}
		giveUp()
		if tasks["a1"].requeue() {
			t.Error("a request without a client is waiting")
		}
		tasks["a1"].Leave()
		tasks["a1"].Leave()
		if !tasks["b1"].isWorking() || len(q.running) != 1 {
			t.Errorf("%d are worked on, %+v", len(q.running), q.Counts())
		}
		tasks["b1"].Leave()
	})
}

// TestPreemptedBeforeWaitReturns preempts a request before its Wait has returned.
func TestPreemptedBeforeWaitReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 1, 10)
		tasks, _ := join(t, q, strings.Repeat("a ", 1)+"b")
		time.Sleep(firstQuantum)
		synctest.Wait()
		work, err := tasks["a1"].Wait(t.Context())
		if err != nil || context.Cause(work) != ErrPreempted {
			t.Errorf("%v; the work's context ends with %v", err, context.Cause(work))
		}
		tasks["a1"].Leave()
		tasks["b1"].Leave()
	})
}
