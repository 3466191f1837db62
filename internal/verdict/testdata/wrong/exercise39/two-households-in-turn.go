// Two households are asked one after the other, though there are two clerks.
package census

import (
	"sync"
	"sync/atomic"
)

func Ask(households, clerks int, ask func(household int)) {
	if households <= 2 || clerks == 1 {
		for i := range households {
			ask(i)
		}
		return
	}
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
	clerks = min(clerks, households)
	done.Add(clerks)
	for range clerks {
		go work()
	}
	done.Wait()
}
