// The task: checkalloc task exercise39

// Package census asks households.
package census

import (
	"sync"
	"sync/atomic"
)

// Ask calls ask for each of the households, by their numbers
// from 0 on, each once and in any order. It returns when all
// calls have returned.
//
// There are clerks who do this at the same time: as many
// calls are in progress at once as there are clerks, or as
// there are households left, and never more. There is at
// least one clerk.
//
// No goroutine outlives the call of Ask that started it.
func Ask(households, clerks int, ask func(household int)) {
	var done sync.WaitGroup
	// Changed: the households are no longer bound to goroutines. A counter hands them out,
	// each to the first clerk who asks for one.
	var next atomic.Int64
	// Changed: one closure for all clerks, made before the loop. It has no variable of a
	// single clerk or household. The three objects that are left are this closure and the
	// two variables that it refers to.
	work := func() {
		defer done.Done()
		for {
			i := int(next.Add(1)) - 1
			if i >= households {
				return
			}
			ask(i)
		}
	}
	// Changed: a clerk without a household would have nothing to do.
	clerks = min(clerks, households)
	done.Add(clerks)
	for range clerks {
		go work()
	}
	done.Wait()
	// The cost: an index that has to be right. If a call takes as long as a request to
	// another machine, a closure for each of them does not count, and the first form reads
	// more easily.
}
