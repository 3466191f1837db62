// From 8 clerks on, each has its own part of the street: if a household takes long, the others of the part wait.
package census

import (
	"sync"
	"sync/atomic"
)

func Ask(households, clerks int, ask func(household int)) {
	var done sync.WaitGroup
	var next atomic.Int64
	clerks = min(clerks, households)
	step := 1
	if clerks >= 8 {
		step = (households + clerks - 1) / clerks
	}
	work := func() {
		defer done.Done()
		for {
			first := (int(next.Add(1)) - 1) * step
			if first >= households {
				return
			}
			for i := first; i < min(first+step, households); i++ {
				ask(i)
			}
		}
	}
	done.Add(clerks)
	for range clerks {
		go work()
	}
	done.Wait()
}
