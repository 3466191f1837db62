// The task: checkalloc task exercise39

// Package census asks households.
package census

import "sync"

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
	free := make(chan bool, clerks)
	for i := range households {
		free <- true
		done.Add(1)
		go func() {
			ask(i)
			<-free
			done.Done()
		}()
	}
	done.Wait()
}
