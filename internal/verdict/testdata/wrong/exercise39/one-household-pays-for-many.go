// One household is asked without a goroutine, and pays for a closure for each of more than 500 clerks.
// want: benchmark
// only: native
package census

import (
	"sync"
	"sync/atomic"
)

func Ask(households, clerks int, ask func(household int)) {
	if households == 1 || clerks == 1 {
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
		if clerks > 500 {
			go func() { work() }()
			continue
		}
		go work()
	}
	done.Wait()
}
