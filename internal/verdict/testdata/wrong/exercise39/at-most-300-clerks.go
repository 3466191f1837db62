// There are never more than 300 calls in progress.
package census

import (
	"sync"
	"sync/atomic"
)

func Ask(households, clerks int, ask func(household int)) {
	var done sync.WaitGroup
	var next atomic.Int64
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
	clerks = min(clerks, households, 300)
	done.Add(clerks)
	for range clerks {
		go work()
	}
	done.Wait()
}
