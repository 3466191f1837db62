package exercise_test

import (
	"fmt"

	"onthestack/internal/exercise"
)

func ExampleSealed() {
	catalog, err := exercise.Sealed()
	if err != nil {
		fmt.Println(err)
		return
	}
	e := catalog.Lookup("exercise6")
	for _, b := range e.Benchmarks {
		fmt.Printf("%s: edit %s until %s has %g allocs/op\n", e.Dir(), e.Edit, b.Name, b.Allocs)
	}
	// Output: exercises/exercise6: edit [stream.go] until BenchmarkReplace has 1 allocs/op
}

func ExampleRenumbered() {
	fmt.Println(exercise.Renumbered("memory-profiling/exercise1"))
	// Output: memory-profiling/exercise6
}
